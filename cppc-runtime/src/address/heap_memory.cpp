#include "address/heap_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "address/heap_tables.hpp"
#include "address/program_time.hpp"
#include "log.hpp"
#include "pages.hpp"

namespace cppc::address::heap {

namespace {

/// Units are mapped by multiples of this many, 16 MiB: what the tables have on them are whole pages.
constexpr std::uint32_t kStep = 256;
constexpr std::uint32_t kFirst = 4 * kStep;
/// Doubled each time up to 1 GiB, so that neither calls nor the memory that a system without overcommitment sets aside
/// are many.
constexpr std::uint32_t kMost = 64 * kStep;

constinit std::uint32_t mapped = 0;  // units

bool map_at(std::uintptr_t place, std::size_t bytes) {
  void* const wanted = reinterpret_cast<void*>(place);
  void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return true;
  if (got != MAP_FAILED) munmap(got, bytes);  // by a kernel that does not know that it must be there
  if (got != MAP_FAILED) errno = EEXIST;
  return false;
}

bool map_more(std::uint32_t units) {
  const std::uintptr_t known = kUnitPlace + mapped * sizeof(Unit);
  const std::uintptr_t place = kHeap + mapped * kUnitBytes;
  if (!map_at(known, units * sizeof(Unit))) return false;
  if (!map_at(place, units * kUnitBytes)) {
    munmap(reinterpret_cast<void*>(known), units * sizeof(Unit));
    return false;
  }
  // Numerical programs work faster so, and an image is read and written faster.
  advise_huge_pages({reinterpret_cast<std::byte*>(place), units * kUnitBytes});
  mapped += units;
  return true;
}

bool clear(std::uintptr_t place, std::size_t bytes) {
  return madvise(reinterpret_cast<void*>(place), bytes, MADV_DONTNEED) == 0;
}

}  // namespace

tl::expected<void, cppc_status> map_places() {
  const OutsideProgram outside;
  const auto refused = [](std::uintptr_t place) {
    const int error = errno;
    log().error("the program's heap cannot have its memory at {:#x}: {}", place, std::strerror(error));
    return tl::unexpected(error == EEXIST ? CPPC_ERR_STATE : CPPC_ERR_MEMORY);
  };
  if (!map_at(kRoots, kRootsBytes)) return refused(kRoots);
  if (!map_at(kTables, kTablesBytes + kCaches * sizeof(Cache))) return refused(kTables);
  if (!map_at(kKindPlace, kUnits)) return refused(kKindPlace);
  if (!map_more(kFirst)) return refused(kHeap);
  return {};
}

bool is_mapped(std::uint32_t units) { return units <= mapped; }

bool map_units(std::uint32_t units) {
  if (is_mapped(units)) return true;
  if (units > kUnits) return false;
  const OutsideProgram outside;  // MPI, or what else looks at mappings, may allocate memory
  const int before = errno;
  const std::uint32_t missing = (units - mapped + kStep - 1) / kStep * kStep;
  const std::uint32_t generous = std::min(std::max(missing, std::min(mapped, kMost)), kUnits - mapped);
  const bool done = map_more(generous) || map_more(missing);
  errno = before;
  return done;
}

tl::expected<void, cppc_status> clear_places(std::uint32_t used) {
  const OutsideProgram outside;
  if (clear(kRoots, kRootsBytes) && clear(kTables, kTablesBytes + kCaches * sizeof(Cache)) &&
      clear(kKindPlace, kUnits) && clear(kUnitPlace, mapped * sizeof(Unit)) &&
      clear(kHeap, std::min(used, mapped) * kUnitBytes)) {
    return {};
  }
  log().error("the memory of the program's heap cannot be cleared: {}", std::strerror(errno));
  return tl::unexpected(CPPC_ERR_SYSTEM);
}

bool give_back(std::uint32_t first, std::uint32_t units) {
  const OutsideProgram outside;
  const int before = errno;
  const bool done = madvise(unit_memory(first), units * kUnitBytes, MADV_DONTNEED) == 0;
  errno = before;
  return done;
}

}  // namespace cppc::address::heap
