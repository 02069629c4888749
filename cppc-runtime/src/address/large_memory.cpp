#include "address/large_memory.hpp"

#include <algorithm>
#include <functional>

#include "address/region_heap.hpp"
#include "pages.hpp"

namespace cppc::address {

namespace {

/// Each is an entry in the image.
constexpr std::size_t kLeastUntouched = std::size_t{1} << 16;

void look(std::span<std::byte> memory, LargeMemory& found) {
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
  for (const auto memory : large) look(memory, found);
  return found;
}

}  // namespace cppc::address
