#include "address/expectation.hpp"

#include <algorithm>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/large_memory.hpp"
#include "address/places.hpp"
#include "address/region_heap.hpp"
#include "pages.hpp"

namespace cppc::address {

namespace {

bool is_heap(std::span<const std::byte> memory) {
  return RegionHeap::owns(memory.data()) && RegionHeap::owns(memory.data() + memory.size()) &&
         RegionHeap::is_mapped(memory);
}

bool is_data_of(const CarriedObject& object, std::span<const std::byte> memory) {
  return std::ranges::any_of(object.zeroed, [memory](const auto data) { return contains(data, memory); });
}

}  // namespace

std::uint64_t large_places(std::span<std::uint64_t> numbers) {
  if (numbers.empty()) return 0;
  std::vector<std::span<std::byte>> places = large_memory(carried_objects()).in_use;
  std::erase_if(places, [](const auto memory) { return memory.size() < kLargeMemory; });
  std::ranges::sort(places, std::greater<>(), &std::span<std::byte>::size);
  numbers[0] = RegionHeap::extent();
  std::uint64_t count = 1;
  for (const auto memory : places) {
    if (count + 2 > numbers.size()) break;
    numbers[count++] = reinterpret_cast<std::uintptr_t>(memory.data());
    numbers[count++] = memory.size();
  }
  return count;
}

void expect(std::span<const std::uint64_t> numbers) {
  if (numbers.empty() || !RegionHeap::expect(numbers[0])) return;
  const auto objects = carried_objects();
  for (std::size_t i = 1; i + 1 < numbers.size(); i += 2) {
    const std::span memory(reinterpret_cast<std::byte*>(numbers[i]), numbers[i + 1]);
    const auto holds = [memory](const CarriedObject& object) { return is_data_of(object, memory); };
    if (!is_heap(memory) && std::ranges::none_of(objects, holds)) continue;
    advise_huge_pages(memory);
    touch(memory);
  }
}

}  // namespace cppc::address
