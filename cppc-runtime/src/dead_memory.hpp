/// What nobody will read any more, as the program says at one safe point.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "cppc/hooks.h"

namespace cppc {

class DeadMemory {
 public:
  DeadMemory() = default;
  DeadMemory(const DeadMemory&) = delete;
  DeadMemory& operator=(const DeadMemory&) = delete;

  /// The object that starts here, whatever its size.
  void add_object(const void* address) { objects_.insert(address); }

  /// Memory within one object, that in which `within` lies when that is given, unless one of `others` lies in that
  /// object, or right behind it.
  void add_range(std::span<const std::byte> memory, std::span<const void* const> others,
                 std::optional<const void*> within = {});

  /// The parts of the object that is this memory which nobody will read: in rising order, apart from each other.
  [[nodiscard]] std::vector<cppc_part> parts_of(std::span<const std::byte> object) const;

  void clear();

 private:
  struct Range {
    const std::byte* end;
    std::vector<const void*> others;
    std::optional<const void*> within;
  };

  std::unordered_set<const void*> objects_;
  using Ranges = std::multimap<const std::byte*, Range, std::less<>>;

  Ranges ranges_;  ///< by their begin
  Ranges::iterator last_ = ranges_.end();
};

}  // namespace cppc
