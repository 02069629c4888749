/// What nobody will read any more, as the program says at one safe point.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_set>

#include "address_ranges.hpp"

namespace cppc {

class DeadMemory {
 public:
  /// The object that starts here, whatever its size.
  void add_object(const void* address) { objects_.insert(address); }

  void add_range(std::span<const std::byte> memory) { ranges_.add(memory); }

  /// Whether nobody will read the object that is this memory. An empty one is never dead.
  [[nodiscard]] bool covers(std::span<const std::byte> object) const {
    return !object.empty() && (objects_.contains(object.data()) || ranges_.contains(object));
  }

  void clear() {
    objects_.clear();
    ranges_.clear();
  }

 private:
  std::unordered_set<const void*> objects_;
  AddressRanges ranges_;
};

}  // namespace cppc
