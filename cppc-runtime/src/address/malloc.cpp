/// malloc() and its kin, in the place of the C library's for all of the process: in the program's time they are the
/// program's heap, else the C library's. What is freed goes back to where it came from, whoever frees it. They work
/// from the dynamic linker's first call on.
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "address/c_library_malloc.hpp"
#include "address/carried_objects.hpp"
#include "address/child_memory.hpp"
#include "address/mpi_memory.hpp"
#include "address/other_allocator.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"
#include "address/startup_calls.hpp"

#define CPPC_MALLOC extern "C" __attribute__((visibility("default")))

extern "C" {
void* __sbrk(std::intptr_t bytes);
extern const char __ehdr_start __attribute__((visibility("hidden")));  // of the linker: where this library begins
extern const char etext __attribute__((visibility("hidden")));         // and where its code ends
}

namespace {

using cppc::address::CLibraryMalloc;
using cppc::address::OtherAllocator;
using cppc::address::RegionHeap;
namespace child_memory = cppc::address::child_memory;

constexpr std::size_t page = 4096;

/// The C library's heap would lie right behind the program, at addresses that two small integers look like: it shall
/// take memory elsewhere. A page that nobody can use keeps it from growing there.
void close_break() {
  static constinit bool done = false;
  if (done || environ == nullptr) return;
  done = true;
  if (!cppc::address::kept_by_address()) return;
  const auto end = reinterpret_cast<std::uintptr_t>(__sbrk(0));
  // When there is something already, that does it, too.
  mmap(reinterpret_cast<void*>((end + page - 1) / page * page), page, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

/// Not the program's time.
bool is_startup_of_program(const void* return_address) {
  close_break();
  return cppc::address::startup_call_is_programs(return_address);
}

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

/// Any alignment, as the C library takes it.
void* allocate_rounded(std::size_t alignment, std::size_t bytes) {
  if (alignment <= SIZE_MAX / 2 + 1) return RegionHeap::allocate_aligned(std::bit_ceil(alignment), bytes);
  errno = EINVAL;
  return nullptr;
}

/// libcppc's own code. What it asks for before the program begins is nobody else's, although its addresses get onto the
/// program's stack.
bool is_own_code(const void* return_address) {
  return return_address >= static_cast<const void*>(&__ehdr_start) && return_address < static_cast<const void*>(&etext);
}

/// What the C library has given is told from what another allocator has, if there is one.
void* noted(void* block) {
  if (OtherAllocator* const other = OtherAllocator::get(); other != nullptr) [[unlikely]]
    other->note(block);
  return block;
}

/// The C library's, in whose place a child process of a process with threads has other memory.
void* c_library_malloc(std::size_t bytes) {
  return child_memory::in_use ? child_memory::allocate(1, bytes) : noted(CLibraryMalloc::get().malloc(bytes));
}

void* c_library_memalign(std::size_t alignment, std::size_t bytes) {
  return child_memory::in_use ? child_memory::allocate(alignment, bytes)
                              : noted(CLibraryMalloc::get().memalign(alignment, bytes));
}

void* c_library_calloc(std::size_t count, std::size_t bytes) {
  if (!child_memory::in_use) return noted(CLibraryMalloc::get().calloc(count, bytes));
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return no_memory();
  void* const block = child_memory::allocate(1, all);
  return block != nullptr ? std::memset(block, 0, all) : nullptr;
}

void* c_library_realloc(void* block, std::size_t bytes) {
  if (child_memory::in_use) return child_memory::resize(block, bytes);
  OtherAllocator* const other = OtherAllocator::get();
  if (other == nullptr) [[likely]]
    return CLibraryMalloc::get().realloc(block, bytes);
  if (block != nullptr && !other->forget(block)) return other->realloc(block, bytes);
  void* const resized = CLibraryMalloc::get().realloc(block, bytes);
  other->note(resized == nullptr && bytes != 0 ? block : resized);  // one that has not been resized is still there
  return resized;
}

void c_library_free(void* block) {
  if (child_memory::in_use) return child_memory::release(block);
  OtherAllocator* const other = OtherAllocator::get();
  if (other != nullptr && block != nullptr && !other->forget(block)) [[unlikely]]
    return other->free(block);
  CLibraryMalloc::get().free(block);
}

std::size_t others_usable_size(void* block) {
  OtherAllocator* const other = OtherAllocator::get();
  const bool is_its = other != nullptr && !other->is_noted(block);
  return is_its ? other->usable_size(block) : CLibraryMalloc::get().usable_size(block);
}

/// A block from the C library: MPI's, unless a library is being started, or the dynamic linker has it.
void* others(void* block, std::size_t bytes, const void* return_address) {
  using namespace cppc::address;
  const bool own = is_own_code(return_address) || reads_startup_code();
  if (program_time || (!startup_over && kept_by_address() && !own)) note_block_of_libraries(block, bytes);
  return block;
}

}  // namespace

// Whoever called the function in which it stands.
#define IS_PROGRAMS()                                                                            \
  (cppc::address::program_time ? !cppc::address::is_dynamic_linkers(__builtin_return_address(0)) \
                               : is_startup_of_program(__builtin_return_address(0)))

CPPC_MALLOC void* malloc(std::size_t bytes) noexcept {
  if (IS_PROGRAMS()) [[likely]]
    return RegionHeap::allocate(bytes);
  return others(c_library_malloc(bytes), bytes, __builtin_return_address(0));
}

CPPC_MALLOC void free(void* block) noexcept {
  if (RegionHeap::owns(block)) [[likely]]
    return RegionHeap::release(block);
  c_library_free(block);
}

CPPC_MALLOC void* calloc(std::size_t count, std::size_t bytes) noexcept {
  if (!IS_PROGRAMS()) return others(c_library_calloc(count, bytes), count * bytes, __builtin_return_address(0));
  std::size_t all = 0;
  return __builtin_mul_overflow(count, bytes, &all) ? no_memory() : RegionHeap::allocate_zeroed(all);
}

CPPC_MALLOC void* realloc(void* block, std::size_t bytes) noexcept {
  if (block == nullptr && IS_PROGRAMS()) return RegionHeap::allocate(bytes);
  if (!RegionHeap::owns(block)) return others(c_library_realloc(block, bytes), bytes, __builtin_return_address(0));
  if (bytes != 0) return RegionHeap::resize(block, bytes);
  RegionHeap::release(block);  // as the C library has it
  return nullptr;
}

CPPC_MALLOC void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return no_memory();
  if (block == nullptr && IS_PROGRAMS()) return RegionHeap::allocate(all);
  return realloc(block, all);
}

CPPC_MALLOC void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return IS_PROGRAMS() ? allocate_rounded(alignment, bytes)
                       : others(c_library_memalign(alignment, bytes), bytes, __builtin_return_address(0));
}

CPPC_MALLOC void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return IS_PROGRAMS() ? allocate_rounded(alignment, bytes)
                       : others(c_library_memalign(alignment, bytes), bytes, __builtin_return_address(0));
}

CPPC_MALLOC int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const got = IS_PROGRAMS() ? RegionHeap::allocate_aligned(alignment, bytes)
                                  : others(c_library_memalign(alignment, bytes), bytes, __builtin_return_address(0));
  errno = before;
  if (got == nullptr) return ENOMEM;
  *block = got;
  return 0;
}

CPPC_MALLOC void* valloc(std::size_t bytes) noexcept {
  return IS_PROGRAMS() ? RegionHeap::allocate_aligned(page, bytes)
                       : others(c_library_memalign(page, bytes), bytes, __builtin_return_address(0));
}

CPPC_MALLOC void* pvalloc(std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX - page) return no_memory();
  const std::size_t pages = (bytes + page - 1) / page * page;
  return IS_PROGRAMS() ? RegionHeap::allocate_aligned(page, pages)
                       : others(c_library_memalign(page, pages), pages, __builtin_return_address(0));
}

CPPC_MALLOC std::size_t malloc_usable_size(void* block) noexcept {
  if (RegionHeap::owns(block)) return RegionHeap::usable_size(block);
  return block != nullptr ? others_usable_size(block) : 0;
}
