#include "dead_memory.hpp"

#include <algorithm>
#include <functional>

namespace cppc {

void DeadMemory::add_range(std::span<const std::byte> memory, std::span<const void* const> others) {
  if (memory.empty()) return;
  ranges_.emplace(memory.data(), Range{memory.data() + memory.size(), {others.begin(), others.end()}});
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
  for (auto range = ranges_.lower_bound(begin); range != ranges_.end() && range->first < end; ++range) {
    if (std::ranges::any_of(range->second.others, inside)) continue;
    const auto from = static_cast<std::size_t>(range->first - begin);
    const auto to = static_cast<std::size_t>(std::min(range->second.end, end) - begin);
    if (!parts.empty() && from <= parts.back().offset + parts.back().bytes)
      parts.back().bytes = std::max(parts.back().bytes, to - parts.back().offset);
    else
      parts.push_back({from, to - from});
  }
  return parts;
}

}  // namespace cppc
