#include "address_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace cppc {

void AddressRanges::add(std::span<const std::byte> memory) {
  if (memory.empty()) return;
  auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  std::uintptr_t end = begin + memory.size();
  auto range = ranges_.upper_bound(begin);
  if (range != ranges_.begin() && std::prev(range)->second >= begin) --range;
  while (range != ranges_.end() && range->first <= end) {
    begin = std::min(begin, range->first);
    end = std::max(end, range->second);
    range = ranges_.erase(range);
  }
  ranges_.emplace(begin, end);
}

void AddressRanges::remove(std::span<const std::byte> memory) {
  if (memory.empty()) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = begin + memory.size();
  auto range = ranges_.upper_bound(begin);
  if (range != ranges_.begin() && std::prev(range)->second > begin) --range;
  while (range != ranges_.end() && range->first < end) {
    const auto [first, last] = *range;
    range = ranges_.erase(range);
    if (first < begin) ranges_.emplace(first, begin);
    if (last > end) ranges_.emplace(end, last);
  }
}

bool AddressRanges::contains(std::span<const std::byte> memory) const {
  if (memory.empty()) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto range = ranges_.upper_bound(begin);
  return range != ranges_.begin() && std::prev(range)->second >= begin + memory.size();
}

}  // namespace cppc
