#include "address/process/library_slot.hpp"

#include <sys/mman.h>
#define XXH_INLINE_ALL  // nothing of it is exported
#include <xxhash.h>

#include <algorithm>

#include "address/places.hpp"
#include "memory_map.hpp"

namespace cppc::address {

namespace {

/// Few libraries with all that they need are larger. One that is takes up several.
constexpr std::uintptr_t kSlot = std::uintptr_t{1} << 30;

bool is_empty(const MemoryMap& memory, std::uintptr_t end) {
  return std::ranges::none_of(
      memory.ranges(), [end](const MemoryMap::Range& range) { return range.begin < end && range.end > end - kSlot; });
}

std::uintptr_t find_empty(const MemoryMap& memory) {
  for (std::uintptr_t end = kOpenedLibrariesEnd; end > kOpenedLibraries; end -= kSlot)
    if (is_empty(memory, end)) return end;
  return 0;
}

}  // namespace

std::uintptr_t LibrarySlot::end_for_others(std::string_view path) {
  constexpr std::uintptr_t slots = (kOthersLibrariesEnd - kOthersLibraries) / kSlot;
  const auto memory = MemoryMap::read();
  if (!memory) return 0;
  const auto first = static_cast<std::uintptr_t>(XXH3_64bits(path.data(), path.size()) % slots);
  for (std::uintptr_t i = 0; i < slots; ++i) {
    const std::uintptr_t end = kOthersLibrariesEnd - (first + i) % slots * kSlot;
    if (is_empty(*memory, end)) return end;
  }
  return 0;
}

LibrarySlot::LibrarySlot(std::uintptr_t end) {
  // What takes notes of the free addresses, and other threads, may use some of them meanwhile.
  constexpr int attempts = 8;
  for (int i = 0; i < attempts && end_ == 0; ++i) take_all_above(end);
}

void LibrarySlot::take_all_above(std::uintptr_t end) {
  const auto memory = MemoryMap::read();
  if (!memory) return;
  end_ = end != 0 ? end : find_empty(*memory);
  std::uintptr_t free = end_;
  for (const MemoryMap::Range& range : memory->ranges()) {
    // The kernel gives nothing away below its stack, which shall be able to grow.
    if (end_ == 0 || range.begin >= kSystemHalf || range.name == "[stack]") return;
    if (free < range.begin && !take({free, range.begin})) return give_back();
    free = std::max(free, range.end);
  }
}

LibrarySlot::~LibrarySlot() { give_back(); }

bool LibrarySlot::take(Range range) {
  const auto bytes = range.end - range.begin;
  void* const wanted = reinterpret_cast<void*>(range.begin);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (mmap(wanted, bytes, PROT_NONE, flags, -1, 0) == MAP_FAILED) return false;
  taken_.push_back(range);
  return true;
}

void LibrarySlot::give_back() {
  for (const Range& range : taken_) munmap(reinterpret_cast<void*>(range.begin), range.end - range.begin);
  taken_.clear();
  end_ = 0;
}

}  // namespace cppc::address
