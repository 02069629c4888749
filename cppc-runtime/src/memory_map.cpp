#include "memory_map.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "log.hpp"

namespace cppc {

tl::expected<MemoryMap, cppc_status> MemoryMap::read() {
  std::ifstream file("/proc/self/maps");
  MemoryMap map;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Range range{};
    char dash = 0;
    std::string permissions, offset, device, inode;
    fields >> std::hex >> range.begin >> dash >> range.end >> permissions >> offset >> device >> inode;
    if (!fields || permissions.size() < 2) continue;
    std::getline(fields >> std::ws, range.name);
    range.writable = permissions[1] == 'w';
    map.ranges_.push_back(std::move(range));
  }
  if (map.ranges_.empty()) {
    log().error("cannot read /proc/self/maps, which says what memory there is");
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  return map;
}

const MemoryMap::Range* MemoryMap::find(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  const auto range = std::ranges::upper_bound(ranges_, value, {}, &Range::begin);
  return range != ranges_.begin() && value < (range - 1)->end ? &*(range - 1) : nullptr;
}

bool MemoryMap::writable(std::span<const std::byte> memory) const {
  const std::byte* end = memory.data() + memory.size();
  for (const std::byte* at = memory.data(); at < end;) {
    const Range* range = find(at);
    if (range == nullptr || !range->writable) return false;
    at = reinterpret_cast<const std::byte*>(range->end);
  }
  return true;
}

}  // namespace cppc
