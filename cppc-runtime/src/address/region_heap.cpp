#include "address/region_heap.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>

#include "address/heap_lock.hpp"
#include "address/heap_memory.hpp"
#include "address/large_blocks.hpp"
#include "address/program_time.hpp"
#include "address/runs.hpp"
#include "address/slabs.hpp"
#include "log.hpp"

namespace cppc::address {

using heap::Cache;
using heap::CacheList;
using heap::tables;
using heap::unit;

constinit thread_local Cache* RegionHeap::own_cache_ = nullptr;

namespace {

/// From unit `run` on, where a run begins; 0: there is none.
std::uint32_t first_slab(std::uint32_t run) {
  while (run < tables().top && !heap::is_slab(heap::kind(run))) run += unit(run).length;
  return run < tables().top ? run : 0;
}

// Of the process: none of this travels.
constinit heap::HeapLock lock;
constinit bool usable = false;  ///< set before there is a second thread
constinit pthread_key_t thread_key{};
constinit thread_local bool ended = false;  ///< this thread has given its cache back

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

bool is_taken(std::size_t cache) { return (tables().caches_taken[cache / 64] >> cache % 64 & 1) != 0; }

/// Behind the last one that has an owner.
std::size_t caches_end() {
  for (std::size_t word = tables().caches_taken.size(); word-- > 0;) {
    const std::uint64_t bits = tables().caches_taken[word];
    if (bits != 0) return word * 64 + static_cast<std::size_t>(std::bit_width(bits));
  }
  return 0;
}

void open_cache(std::size_t number) {
  tables().caches_taken[number / 64] |= std::uint64_t{1} << number % 64;
  for (unsigned size_class = 0; size_class < kSizeClasses; ++size_class) {
    heap::cache(number).lists[size_class] = {.first = nullptr, .count = 0, .limit = cached_blocks(size_class)};
  }
}

void close_cache(std::size_t number) { tables().caches_taken[number / 64] &= ~(std::uint64_t{1} << number % 64); }

void empty_cache(Cache& cache) {
  for (CacheList& list : cache.lists) heap::drain(list, list.count);
}

/// The number of a free one; kCaches: there is none.
std::size_t free_cache() {
  for (std::size_t word = 0; word < tables().caches_taken.size(); ++word) {
    const std::uint64_t bits = tables().caches_taken[word];
    if (~bits != 0) return word * 64 + static_cast<std::size_t>(std::countr_one(bits));
  }
  return heap::kCaches;
}

}  // namespace

tl::expected<void, cppc_status> RegionHeap::start() {
  const OutsideProgram outside;
  if (const auto mapped = heap::map_places(); !mapped) return mapped;
  if (pthread_key_create(&thread_key, end_of_thread) != 0 ||
      pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] { forget_other_caches(), lock.unlock(); }) != 0) {
    log().error("the program's heap cannot be told of the ends of threads and of fork()");
    return tl::unexpected(CPPC_ERR_SYSTEM);
  }
  heap::kind(0) = heap::kInside;
  tables().top = 1;
  open_cache(0);
  own_cache_ = &heap::cache(0);
  usable = true;
  return {};
}

void* RegionHeap::allocate_slowly(std::size_t bytes) {
  if (!usable) return no_memory();
  if (bytes > kLargestSmall) {
    const std::lock_guard hold(lock);
    void* const block = heap::take_large(bytes, 1);
    return block != nullptr ? block : no_memory();
  }
  Cache* const cache = acquire_cache();
  const unsigned size_class = size_class_of(bytes);
  CacheList alone{.first = nullptr, .count = 0, .limit = 2};
  CacheList& list = cache != nullptr ? cache->lists[size_class] : alone;
  if (list.first == nullptr) {
    const std::lock_guard hold(lock);
    heap::fill(list, size_class, list.limit / 2);
  }
  heap::FreeBlock* const block = list.first;
  if (block == nullptr) return no_memory();
  list.first = block->next;
  --list.count;
  return block;
}

void* RegionHeap::allocate_zeroed(std::size_t bytes) {
  void* const block = allocate(bytes);
  if (block == nullptr) return nullptr;
  const std::uint32_t run = heap::unit_of(block);
  if (heap::kind(run) != heap::kLarge || !unit(run).zero) std::memset(block, 0, bytes);
  return block;
}

void* RegionHeap::allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (bytes <= kLargestSmall && alignment < heap::kUnitBytes) {
    // Blocks of a slab, which is aligned to its own size, lie at multiples of theirs.
    for (unsigned size_class = size_class_of(bytes); size_class < kSizeClasses; ++size_class) {
      const std::size_t size = size_class_bytes(size_class);
      if (size % alignment == 0) return allocate(size);
    }
  }
  if (!usable) return no_memory();
  const std::lock_guard hold(lock);
  void* const block = heap::take_large(bytes, alignment);
  return block != nullptr ? block : no_memory();
}

void RegionHeap::release_slowly(void* block) {
  const std::uint32_t run = heap::unit_of(block);
  const std::uint8_t kind = usable ? heap::kind(run) : std::uint8_t{heap::kFree};
  if (kind == heap::kLarge && block == heap::large_block(run)) {
    const std::lock_guard hold(lock);
    return heap::give_large(run);
  }
  if (!heap::is_slab(kind) || heap::block_at(run, block) != block) heap::no_block("free", block);
  Cache* const cache = acquire_cache();
  CacheList alone{.first = nullptr, .count = 0, .limit = 0};
  CacheList& list = cache != nullptr ? cache->lists[kind - heap::kFirstSlab] : alone;
  auto* const freed = static_cast<heap::FreeBlock*>(block);
  if (list.first == freed) heap::no_block("free", block);
  freed->next = list.first;
  list.first = freed;
  if (++list.count <= list.limit) return;
  const std::lock_guard hold(lock);
  heap::drain(list, list.count - list.limit / 2);
}

void* RegionHeap::resize(void* block, std::size_t bytes) {
  const std::uint32_t run = heap::unit_of(block);
  const std::uint8_t kind = usable ? heap::kind(run) : std::uint8_t{heap::kFree};
  const bool known = heap::is_slab(kind) ? heap::block_at(run, block) == block
                                         : kind == heap::kLarge && block == heap::large_block(run);
  if (!known) heap::no_block("realloc", block);
  const std::size_t before = usable_size(block);
  if (heap::is_slab(kind) ? bytes <= before && bytes >= before / 2 : bytes > kLargestSmall) {
    if (heap::is_slab(kind)) return block;
    const std::lock_guard hold(lock);
    if (heap::resize_large(run, bytes)) return block;
  }
  void* const moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(bytes, before));
  release(block);
  return moved;
}

std::size_t RegionHeap::usable_size(const void* block) {
  const std::uint32_t run = heap::unit_of(block);
  const std::uint8_t kind = heap::kind(run);
  if (heap::is_slab(kind)) return size_class_bytes(kind - heap::kFirstSlab);
  return kind == heap::kLarge ? unit(run).large.bytes : 0;
}

std::span<std::byte> RegionHeap::find_block(const void* address) {
  const std::lock_guard hold(lock);
  if (!usable || !owns(address) || heap::unit_of(address) >= tables().top) return {};
  std::uint32_t run = heap::unit_of(address);
  if (heap::is_slab(heap::kind(run))) {
    std::byte* const start = heap::block_at(run, address);
    if (start == nullptr) return {};
    return {start, size_class_bytes(heap::kind(run) - heap::kFirstSlab)};
  }
  while (run > 0 && heap::kind(run) == heap::kInside) --run;
  if (heap::kind(run) != heap::kLarge) return {};
  const std::span<std::byte> block(heap::large_block(run), unit(run).large.bytes);
  const auto* const wanted = static_cast<const std::byte*>(address);
  return wanted >= block.data() && wanted < block.data() + block.size() ? block : std::span<std::byte>();
}

void RegionHeap::unlock_in_child() { lock.unlock(); }

bool RegionHeap::is_free(const void* address) {
  const std::lock_guard hold(lock);
  if (!usable || !owns(address) || heap::unit_of(address) >= tables().top) return false;
  const std::uint32_t slab = heap::unit_of(address);
  if (!heap::is_slab(heap::kind(slab))) return false;
  const auto* const block = reinterpret_cast<const heap::FreeBlock*>(heap::block_at(slab, address));
  for (const heap::FreeBlock* free = unit(slab).slab.free; free != nullptr; free = free->next)
    if (free == block) return true;
  return block == nullptr;
}

std::size_t RegionHeap::live_bytes() {
  if (!usable) return 0;
  const std::lock_guard hold(lock);
  const std::size_t unit_bytes = sizeof(heap::Unit) + sizeof(heap::Kind);
  return heap::kRootsBytes + heap::kTablesBytes + caches_end() * sizeof(Cache) + tables().top * unit_bytes +
         tables().slabs * heap::kUnitBytes + tables().large_bytes;
}

Cache* RegionHeap::acquire_cache() {
  if (own_cache_ != nullptr || ended) return own_cache_;
  std::size_t number = 0;
  {
    const std::lock_guard hold(lock);
    number = free_cache();
    if (number == heap::kCaches) return nullptr;
    open_cache(number);
  }
  const OutsideProgram outside;  // the C library may allocate memory for the value
  if (pthread_setspecific(thread_key, &heap::cache(number)) != 0) {
    const std::lock_guard hold(lock);
    close_cache(number);
    return nullptr;
  }
  return own_cache_ = &heap::cache(number);
}

/// What other destructors still ask for is not kept.
void RegionHeap::end_of_thread(void* cache) {
  own_cache_ = nullptr;
  ended = true;
  const std::lock_guard hold(lock);
  empty_cache(*static_cast<Cache*>(cache));
  close_cache(static_cast<std::size_t>(static_cast<Cache*>(cache) - &heap::cache(0)));
}

void RegionHeap::flush_all_caches() {
  const std::lock_guard hold(lock);
  for (std::size_t number = 0; number < caches_end(); ++number) {
    if (is_taken(number)) empty_cache(heap::cache(number));
  }
}

void RegionHeap::flush_other_caches() {
  flush_all_caches();
  const std::lock_guard hold(lock);
  forget_other_caches();
}

/// In a child of fork() without looking into them: their threads may have been at work on them.
void RegionHeap::forget_other_caches() {
  for (std::size_t number = caches_end(); number-- > 0;) {
    if (own_cache_ != &heap::cache(number)) close_cache(number);
  }
  if (own_cache_ != &heap::cache(0)) open_cache(0);
}

std::array<std::span<std::byte>, 4> RegionHeap::tables_in_use() {
  const auto part = [](std::uintptr_t place, std::size_t bytes) {
    return std::span(reinterpret_cast<std::byte*>(place), bytes);
  };
  const std::size_t units = tables().top;
  return {part(kRoots, heap::kRootsBytes), part(kTables, heap::kTablesBytes + caches_end() * sizeof(Cache)),
          part(heap::kKindPlace, units), part(heap::kUnitPlace, units * sizeof(heap::Unit))};
}

/// The next memory from unit `run` on that is in use as a whole; empty: no more. Slabs that lie side by side are one,
/// with the few bytes at the end of each in which no block fits.
std::span<std::byte> RegionHeap::next_live(std::uint32_t& run) {
  constexpr std::ptrdiff_t gap = 4096;
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  bool after_slab = false;
  for (; run < tables().top; run += heap::is_slab(heap::kind(run)) ? 1 : unit(run).length) {
    const std::uint8_t kind = heap::kind(run);
    const bool slab = heap::is_slab(kind);
    std::span<std::byte> part;
    if (kind == heap::kLarge) part = {heap::large_block(run), unit(run).large.bytes};
    if (slab) part = {heap::unit_memory(run), unit(run).slab.fresh * size_class_bytes(kind - heap::kFirstSlab)};
    if (part.empty()) continue;
    if (begin == nullptr) begin = end = part.data();
    if (part.data() - end > (slab && after_slab ? gap : 0)) break;
    end = part.data() + part.size();
    after_slab = slab;
  }
  return {begin, end};
}

void RegionHeap::trim() {
  flush_all_caches();
  const std::lock_guard hold(lock);
  for (std::uint32_t slab = first_slab(1); slab != 0; slab = first_slab(slab + 1)) heap::forget_last_free(slab);
}

std::vector<std::span<const std::byte>> RegionHeap::free_parts(std::size_t least) {
  const std::lock_guard hold(lock);
  std::vector<std::span<const std::byte>> parts;
  for (std::uint32_t slab = first_slab(1); slab != 0; slab = first_slab(slab + 1)) {
    const std::size_t bytes = size_class_bytes(heap::kind(slab) - heap::kFirstSlab);
    if (bytes < least + sizeof(heap::FreeBlock)) continue;
    const auto first = static_cast<std::ptrdiff_t>(parts.size());
    for (const heap::FreeBlock* free = unit(slab).slab.free; free != nullptr; free = free->next)
      parts.emplace_back(reinterpret_cast<const std::byte*>(free + 1), bytes - sizeof *free);
    std::ranges::sort(parts.begin() + first, parts.end(), std::less<>(), &std::span<const std::byte>::data);
  }
  return parts;
}

std::size_t RegionHeap::extent() { return tables().top * heap::kUnitBytes; }

bool RegionHeap::expect(std::size_t extent) {
  const std::size_t units = extent / heap::kUnitBytes;
  return units <= heap::kUnits && heap::map_units(static_cast<std::uint32_t>(units));
}

bool RegionHeap::is_mapped(std::span<const std::byte> memory) {
  return heap::is_mapped(heap::unit_of(memory.data() + memory.size() - 1) + 1);
}

tl::expected<void, cppc_status> RegionHeap::reserve_for_restore(std::size_t extent) {
  usable = false;
  own_cache_ = nullptr;
  if (const auto cleared = heap::clear_places(tables().top); !cleared) return cleared;
  if (expect(extent)) return {};
  log().error("the program's heap: no memory for the {} bytes that it spreads over", extent);
  return tl::unexpected(CPPC_ERR_MEMORY);
}

tl::expected<void, cppc_status> RegionHeap::after_restore() {
  if (heap::kind(0) != heap::kInside || tables().top == 0 || !heap::is_mapped(tables().top) || !is_taken(0)) {
    log().error("the program's heap: what was put in its place is no heap of this size");
    return tl::unexpected(CPPC_ERR_IMAGE);
  }
  own_cache_ = &heap::cache(0);
  usable = true;
  flush_other_caches();
  return {};
}

}  // namespace cppc::address
