#include "address/large_memory.hpp"

#include <algorithm>
#include <functional>

#include "address/region_heap.hpp"
#include "address/shared_blocks.hpp"
#include "pages.hpp"

namespace cppc::address {

namespace {

/// Each is an entry in the image.
constexpr std::size_t kLeastUntouched = std::size_t{1} << 16;

void look_at_own(std::span<std::byte> memory, LargeMemory& found) {
  const auto from = [&](std::size_t begin, const std::byte* end) {
    return memory.subspan(begin, static_cast<std::size_t>(end - memory.data()) - begin);
  };
  std::size_t begin = 0;
  visit_untouched(memory, kLeastUntouched, [&](std::span<std::byte> part) {
    if (const auto before = from(begin, part.data()); !before.empty()) found.in_use.push_back(before);
    found.untouched.push_back(part);
    begin = static_cast<std::size_t>(part.data() - memory.data()) + part.size();
    return true;
  });
  if (begin < memory.size()) found.in_use.push_back(memory.subspan(begin));
}

/// Whether this process has touched shared memory says nothing.
void look(std::span<std::byte> memory, std::span<const SharedBlock> shared, LargeMemory& found) {
  for (const SharedBlock& block : shared) {
    const auto end = block.memory.data() + block.memory.size();
    if (end <= memory.data()) continue;
    if (block.memory.data() >= memory.data() + memory.size()) break;
    look_at_own({memory.data(), block.memory.data()}, found);
    if (!block.own.empty()) found.in_use.push_back(block.own);
    memory = {end, memory.data() + memory.size()};
  }
  look_at_own(memory, found);
}

}  // namespace

std::uint64_t LargeMemory::untouched_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto part : untouched) bytes += part.size();
  return bytes;
}

LargeMemory large_memory(std::span<const CarriedObject> objects) {
  std::vector<std::span<std::byte>> large;
  const auto add = [&large](std::span<std::byte> memory) {
    if (memory.size() >= kLargeMemory) large.push_back(memory);
  };
  for (const CarriedObject& object : objects) std::ranges::for_each(object.zeroed, add);
  RegionHeap::visit_live(add);
  std::ranges::sort(large, std::less<>(), &std::span<std::byte>::data);
  LargeMemory found;
  for (const auto memory : large) look(memory, SharedBlocks::all(), found);
  return found;
}

}  // namespace cppc::address
