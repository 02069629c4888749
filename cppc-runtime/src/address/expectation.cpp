#include "address/expectation.hpp"

#include <algorithm>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"
#include "pages.hpp"

namespace cppc::address {

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;

void touch_large(std::span<std::byte> memory) {
  if (memory.size() < kLarge) return;
  advise_huge_pages(memory);
  touch(memory);
}

}  // namespace

std::uint64_t large_places(std::span<std::uint64_t> numbers) {
  if (numbers.empty()) return 0;
  std::vector<std::span<std::byte>> places;
  RegionHeap::visit_live([&](std::span<std::byte> memory) {
    if (memory.size() >= kLarge) places.push_back(memory);
  });
  std::ranges::sort(places, std::greater<>(), &std::span<std::byte>::size);
  numbers[0] = RegionHeap::extent();
  std::uint64_t count = 1;
  // A large block may have hardly been touched. Then it is better left alone; which one it is need not be known.
  std::uint64_t left = resident_bytes();
  for (const auto memory : places) {
    if (count + 2 > numbers.size()) break;
    if (memory.size() > left) continue;
    left -= memory.size();
    numbers[count++] = reinterpret_cast<std::uintptr_t>(memory.data());
    numbers[count++] = memory.size();
  }
  return count;
}

void expect(std::span<const std::uint64_t> numbers) {
  if (numbers.empty() || !RegionHeap::expect(numbers[0])) return;
  for (std::size_t i = 1; i + 1 < numbers.size(); i += 2) {
    const std::span memory(reinterpret_cast<std::byte*>(numbers[i]), numbers[i + 1]);
    if (RegionHeap::owns(memory.data()) && RegionHeap::owns(memory.data() + memory.size()) &&
        RegionHeap::is_mapped(memory))
      touch_large(memory);
  }
  for (const CarriedObject& object : carried_objects())
    for (const auto memory : object.data) touch_large(memory);
}

}  // namespace cppc::address
