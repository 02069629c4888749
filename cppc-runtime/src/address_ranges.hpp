/// Sets of addresses that consist of few ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace cppc {

class AddressRanges {
 public:
  void add(std::span<const std::byte> memory);
  void remove(std::span<const std::byte> memory);
  void clear() { ranges_.clear(); }

  /// Whether all of it is in the set; nothing at all is not.
  [[nodiscard]] bool contains(std::span<const std::byte> memory) const;

 private:
  std::map<std::uintptr_t, std::uintptr_t> ranges_;  ///< begin and end; neighbours are one
};

}  // namespace cppc
