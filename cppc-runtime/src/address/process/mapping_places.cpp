#include "address/process/mapping_places.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "address/places.hpp"
#include "pages.hpp"

namespace cppc::address::mapping_places {

namespace {

constexpr std::size_t kNoted = 256;

constinit std::atomic<std::uintptr_t> next_place{kMappings};
constinit std::array<std::atomic<const void*>, kNoted> noted{};
constinit std::atomic<std::size_t> notes{0};

std::uintptr_t rounded_up(std::uintptr_t number, std::uintptr_t unit) { return (number + unit - 1) / unit * unit; }

}  // namespace

void* propose(std::size_t bytes, unsigned attempt) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t area = kBreak - kMappings;
  if (bytes == 0 || bytes > area / 4) return nullptr;
  const std::size_t unit = bytes >= huge_page ? huge_page : page;
  const std::size_t room = rounded_up(bytes, unit);
  const std::size_t skipped = std::min(area / 4, attempt == 0 ? 0 : room << std::min(attempt, 26U));
  std::uintptr_t before = next_place.load(std::memory_order_relaxed);
  std::uintptr_t place = 0;
  do {
    place = rounded_up(before, unit) + skipped;
    if (place > kBreak - room) place = kMappings;
  } while (!next_place.compare_exchange_weak(before, place + room, std::memory_order_relaxed));
  return reinterpret_cast<void*>(place);
}

void start_at(std::uintptr_t end) { next_place.store(end, std::memory_order_relaxed); }

void placed(const void* address) {
  if (is_program_memory(address)) return;
  const std::size_t note = notes.fetch_add(1, std::memory_order_relaxed);
  if (note < kNoted) noted[note].store(address, std::memory_order_relaxed);
}

bool outside(std::vector<const void*>& all) {
  const std::size_t count = notes.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < std::min(count, kNoted); ++i) all.push_back(noted[i].load(std::memory_order_relaxed));
  return count <= kNoted;
}

}  // namespace cppc::address::mapping_places
