/// mmap() and mremap(): the program's memory is put where it can be had again.
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <type_traits>

#include "address/mpi_memory.hpp"
#include "address/process/mapping_places.hpp"
#include "address/process/next.hpp"
#include "address/program_time.hpp"

#pragma GCC visibility push(default)

namespace {

namespace places = cppc::address::mapping_places;
using cppc::address::program_time;

using Map = decltype(::mmap);

void* map_at_free_place(Map* next, size_t bytes, int protection, int flags, int number, off_t offset) {
  for (unsigned attempt = 0; attempt < places::kAttempts; ++attempt) {
    void* const place = places::propose(bytes, attempt);
    if (place == nullptr) break;
    void* const got = next(place, bytes, protection, flags | MAP_FIXED_NOREPLACE, number, offset);
    if (got != MAP_FAILED || errno != EEXIST) return got;
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

void* map(Map* next, void* address, size_t bytes, int protection, int flags, int number, off_t offset) {
  constexpr int has_its_place = MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT | MAP_HUGETLB;
  if (!program_time) {
    void* const got = next(address, bytes, protection, flags, number, offset);
    const bool memory = got != MAP_FAILED && protection != PROT_NONE;  // no places that are only kept free
    if (memory && cppc::address::startup_over) cppc::address::note_mapping_of_mpi(got, bytes);
    return got;
  }
  if ((flags & has_its_place) == 0) return map_at_free_place(next, bytes, protection, flags, number, offset);
  void* const got = next(address, bytes, protection, flags, number, offset);
  if (got != MAP_FAILED) places::placed(got);
  return got;
}

/// The old memory's new place, where it has to move.
void* move(void* old, size_t old_bytes, size_t bytes, int flags) {
  const auto next = CPPC_NEXT(mremap);
  if ((flags & MREMAP_DONTUNMAP) == 0) {
    void* const got = next(old, old_bytes, bytes, flags & ~MREMAP_MAYMOVE);
    if (got != MAP_FAILED || errno != ENOMEM) return got;
  }
  void* const place =
      map_at_free_place(CPPC_NEXT(mmap), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return place;
  void* const got = next(old, old_bytes, bytes, flags | MREMAP_FIXED, place);
  const int error = errno;
  if (got == MAP_FAILED) munmap(place, bytes);
  errno = error;
  return got;
}

}  // namespace

extern "C" {

void* mmap(void* address, size_t bytes, int protection, int flags, int number, off_t offset) noexcept {
  return map(CPPC_NEXT(mmap), address, bytes, protection, flags, number, offset);
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int number, off64_t offset) noexcept {
  return map(CPPC_NEXT(mmap64), address, bytes, protection, flags, number, offset);
}

void* mremap(void* old, size_t old_bytes, size_t bytes, int flags, ...) noexcept {
  va_list more;
  va_start(more, flags);
  void* place = va_arg(more, void*);
  va_end(more);
  if (!program_time) return CPPC_NEXT(mremap)(old, old_bytes, bytes, flags, place);
  if ((flags & MREMAP_MAYMOVE) != 0 && (flags & MREMAP_FIXED) == 0) return move(old, old_bytes, bytes, flags);
  void* const got = CPPC_NEXT(mremap)(old, old_bytes, bytes, flags, place);
  if (got != MAP_FAILED) places::placed(got);
  return got;
}

}  // extern "C"

#pragma GCC visibility pop
