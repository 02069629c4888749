/// A program's heap at its place, as far as process_program needs one. Weak: libcppc's own comes before it.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "address/places.hpp"
#include "address/program_time.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void __libc_free(void* block);
}

namespace {

constexpr std::size_t kArena = std::size_t{4} << 20;
constexpr std::size_t kHeader = 16;

/// The first word of the arena says where it is free; the word before a block, how long it is.
void* allocate(std::size_t bytes) {
  void* const heap = reinterpret_cast<void*>(cppc::address::kHeap);
  static bool mapped = false;
  if (!mapped) {
    mmap(heap, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    mapped = true;
  }
  auto& used = *static_cast<std::size_t*>(heap);
  if (used == 0) used = kHeader;
  auto* block = static_cast<std::byte*>(heap) + used + kHeader;
  used += kHeader + (bytes + kHeader - 1) / kHeader * kHeader;
  std::memcpy(block - kHeader, &bytes, sizeof bytes);
  return block;
}

std::size_t bytes_of(void* block) {
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<std::byte*>(block) - kHeader, sizeof bytes);
  return bytes;
}

}  // namespace

extern "C" {

__attribute__((weak)) void* malloc(std::size_t bytes) {
  return cppc::address::program_time ? allocate(bytes) : __libc_malloc(bytes);
}

__attribute__((weak)) void* calloc(std::size_t count, std::size_t bytes) {
  return cppc::address::program_time ? std::memset(allocate(count * bytes), 0, count * bytes)
                                     : __libc_calloc(count, bytes);
}

__attribute__((weak)) void* realloc(void* block, std::size_t bytes) {
  const bool of_region = block == nullptr ? cppc::address::program_time : cppc::address::is_program_memory(block);
  if (!of_region) return __libc_realloc(block, bytes);
  void* moved = allocate(bytes);
  if (block != nullptr) std::memcpy(moved, block, bytes_of(block) < bytes ? bytes_of(block) : bytes);
  return moved;
}

__attribute__((weak)) void free(void* block) {
  if (!cppc::address::is_program_memory(block)) __libc_free(block);
}
}
