#include "address/process/mapping_places.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "address/places.hpp"
#include "pages.hpp"

namespace cppc::address::mapping_places {

namespace {

constexpr std::size_t kNoted = 256;

constinit std::atomic<std::uintptr_t> next_place{kMappings};
constinit std::array<std::atomic<const void*>, kNoted> noted{};
constinit std::atomic<bool> too_many{false};

std::uintptr_t rounded_up(std::uintptr_t number, std::uintptr_t unit) { return (number + unit - 1) / unit * unit; }

bool is_mapped(const void* address) {
  void* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) / 4096 * 4096);
  return msync(page, 1, MS_ASYNC) == 0 || errno != ENOMEM;
}

/// In the first note that is free, or may be used again.
template <class MayBeUsed>
bool note(const void* address, MayBeUsed may_be_used) {
  return std::ranges::any_of(noted, [&](std::atomic<const void*>& one) {
    const void* before = one.load(std::memory_order_relaxed);
    return may_be_used(before) && one.compare_exchange_strong(before, address, std::memory_order_relaxed);
  });
}

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
  if (note(address, [&](const void* one) { return one == nullptr || one == address; })) return;
  const int error = errno;
  if (!note(address, [](const void* one) { return !is_mapped(one); })) too_many.store(true, std::memory_order_relaxed);
  errno = error;
}

bool outside(std::vector<const void*>& all) {
  for (const auto& one : noted)
    if (const void* const place = one.load(std::memory_order_relaxed); place != nullptr) all.push_back(place);
  return !too_many.load(std::memory_order_relaxed);
}

}  // namespace cppc::address::mapping_places
