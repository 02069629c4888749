/// The program's heap when its state is kept by address: blocks and all that is known about them lie at the same fixed
/// places in every process, so that putting these bytes in place is restoring the heap.
///
/// Any thread may call the functions for blocks. None of them is safe in signal handlers, as malloc() is not. A child
/// of fork(), which has one thread, may go on using them; what other threads kept for themselves is lost to it (a child
/// of _Fork() or vfork() must not, as with malloc()). Before start() there is no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "address/heap_tables.hpp"
#include "address/places.hpp"
#include "cppc/status.h"

namespace cppc::address {

class RegionHeap {
 public:
  /// Maps the places and makes an empty heap. Once in a process, by its main thread, before any other works for the
  /// program. Fails, and says why, when something else lies there or there is no memory.
  static tl::expected<void, cppc_status> start();

  /// Null, and errno is ENOMEM, when there is no memory. Zero bytes have an address of their own. At least 16-aligned.
  static void* allocate(std::size_t bytes) {
    if (bytes <= kLargestSmall && own_cache_ != nullptr) [[likely]] {
      heap::CacheList& list = own_cache_->lists[size_class_of(bytes)];
      if (heap::FreeBlock* block = list.first; block != nullptr) [[likely]] {
        list.first = block->next;
        --list.count;
        return block;
      }
    }
    return allocate_slowly(bytes);
  }

  /// Zeros. Memory that nobody has written into is not touched.
  static void* allocate_zeroed(std::size_t bytes);

  /// `alignment` is a power of two.
  static void* allocate_aligned(std::size_t alignment, std::size_t bytes);

  /// `block` lies in the heap. Ends the process with a message if it is no block, as far as that can be seen.
  static void release(void* block) {
    const std::uint8_t kind = heap::kind(heap::unit_of(block));
    const auto size_class = static_cast<std::uint8_t>(kind - heap::kFirstSlab);
    if (size_class < kSizeClasses && own_cache_ != nullptr) [[likely]] {
      heap::CacheList& list = own_cache_->lists[size_class];
      auto* const freed = static_cast<heap::FreeBlock*>(block);
      const bool plausible = reinterpret_cast<std::uintptr_t>(block) % 16 == 0 && list.first != freed;
      if (plausible && list.count < list.limit) [[likely]] {
        freed->next = list.first;
        list.first = freed;
        ++list.count;
        return;
      }
    }
    release_slowly(block);
  }

  /// As realloc(), for a block of the heap; `bytes` may be zero, too. Null: nothing has changed.
  static void* resize(void* block, std::size_t bytes);

  /// Bytes that the program may use and that travel with it.
  static std::size_t usable_size(const void* block);

  static bool owns(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - kHeap < kMappings - kHeap;
  }

  /// The block that an address leads to, for messages; empty if there is none. A small block may have been freed.
  static std::span<std::byte> find_block(const void* address);

  /// Whether the address lies in a small block that has been freed, and which no thread keeps: after visit_live().
  static bool is_free(const void* address);

  /// In a child that was made without fork(), and has one thread: another one may have held the lock.
  static void unlock_in_child();

  /// No less than what visit_live() shows, and little more. Takes no time.
  static std::size_t live_bytes();

  /// Empties what other threads kept for themselves, and forgets these threads. For a process that has one thread.
  static void flush_other_caches();

  /// Calls visit(std::span<std::byte>) for all memory that makes up the heap: roots, tables, slabs, and large blocks
  /// with the sizes they were asked for. No other thread may be in the heap meanwhile, and `visit` must not use it.
  template <typename Visit>
  static void visit_live(Visit visit) {
    flush_all_caches();
    for (const std::span<std::byte> part : tables_in_use()) visit(part);
    for (std::uint32_t unit = 1;;) {
      const std::span<std::byte> part = next_live(unit);
      if (part.empty()) return;
      visit(part);
    }
  }

  /// Makes little of what visit_live() shows: what threads kept for themselves goes back to the slabs, and these end
  /// with a block in use. For a process that stands still.
  static void trim();

  /// What nobody needs of the rest, by rising address: free blocks of slabs, but for what leads from one to the next,
  /// where that is `least` bytes or more of a block. After trim().
  static std::vector<std::span<const std::byte>> free_parts(std::size_t least);

  /// How much of the places another process has to have before the bytes of visit_live() can be put there.
  static std::size_t extent();

  /// In a process in which the heap has hardly been used: maps memory up to `extent`, which may be needed soon. False:
  /// there is none.
  static bool expect(std::size_t extent);

  /// Whether all of it is mapped; it lies in the heap.
  static bool is_mapped(std::span<const std::byte> memory);

  /// In a process that has one thread and has started its heap: everything that is in the heap is forgotten, and all
  /// memory up to `extent` is there, and zero. There is no memory for the program until after_restore().
  static tl::expected<void, cppc_status> reserve_for_restore(std::size_t extent);

  /// The bytes are in place: the calling thread is the program's main thread now. Fails when they are no heap.
  static tl::expected<void, cppc_status> after_restore();

 private:
  static void* allocate_slowly(std::size_t bytes);
  static void release_slowly(void* block);
  static void* resize_large(std::uint32_t run, std::size_t bytes);
  static heap::Cache* acquire_cache();
  static void end_of_thread(void* cache);
  static void flush_all_caches();
  static void forget_other_caches();
  static std::array<std::span<std::byte>, 4> tables_in_use();
  static std::span<std::byte> next_live(std::uint32_t& unit);

  /// Of this thread. Null: it has not asked for memory yet, has ended but for other destructors, or there are too many.
  static constinit thread_local heap::Cache* own_cache_ __attribute__((tls_model("initial-exec")));
};

}  // namespace cppc::address
