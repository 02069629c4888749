#include "dead_memory.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace cppc {

namespace {

/// The program names arrays row by row. What follows the last range makes it longer; when there are very many that do
/// not, small ones are left out: the program stands still meanwhile.
constexpr std::size_t many = 10000, small = 512;

}  // namespace

void DeadMemory::add_range(std::span<const std::byte> memory, std::span<const void* const> others,
                           std::optional<const void*> within) {
  if (memory.empty()) return;
  const std::byte* const end = memory.data() + memory.size();
  if (last_ != ranges_.end() && last_->second.end == memory.data() && last_->second.within == within &&
      std::ranges::equal(last_->second.others, others)) {
    last_->second.end = end;
  } else if (ranges_.size() < many || memory.size() >= small) {
    last_ = ranges_.emplace(memory.data(), Range{end, {others.begin(), others.end()}, within});
  }
}

void DeadMemory::clear() {
  objects_.clear();
  ranges_.clear();
  last_ = ranges_.end();
}

std::vector<cppc_part> DeadMemory::parts_of(std::span<const std::byte> object) const {
  std::vector<cppc_part> parts;
  if (object.empty()) return parts;
  const std::byte* const begin = object.data();
  const std::byte* const end = begin + object.size();
  if (objects_.contains(begin)) return {{0, object.size()}};
  const auto inside = [&](const void* address) {
    return !std::less<>()(address, begin) && std::less_equal<>()(address, end);
  };
  const auto left_out = [&](const Range& range) {
    const bool here = !range.within || (inside(*range.within) && *range.within != end);
    return !here || std::ranges::any_of(range.others, inside);
  };
  auto range = ranges_.lower_bound(begin);
  if (range != ranges_.begin() && std::prev(range)->second.end > begin) --range;
  for (; range != ranges_.end() && range->first < end; ++range) {
    if (left_out(range->second)) continue;
    const auto from = static_cast<std::size_t>(std::max(range->first, begin) - begin);
    const auto to = static_cast<std::size_t>(std::min(range->second.end, end) - begin);
    if (!parts.empty() && from <= parts.back().offset + parts.back().bytes)
      parts.back().bytes = std::max(parts.back().bytes, to - parts.back().offset);
    else
      parts.push_back({from, to - from});
  }
  return parts;
}

}  // namespace cppc
