#include "heap.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "layout.hpp"
#include "log.hpp"
#include "never_destroyed.hpp"
#include "pages.hpp"

namespace cppc {

namespace {

constexpr std::size_t cache_line = 64;

/// Unknown contents may be references as well.
bool may_hold_references(const cppc_type* type) {
  if (type->kind == CPPC_STRUCT) return layout_of(type).references;
  return type->kind > CPPC_STRUCT || type->kind == CPPC_POINTER || type->kind == CPPC_FUNCTION || is_unknown(*type);
}

bool is_small(std::size_t alignment, std::size_t bytes) { return alignment == 0 && bytes <= SmallBlocks::largest; }

std::span<const std::byte> memory(const void* address, std::size_t bytes) {
  return {static_cast<const std::byte*>(address), bytes};
}

/// A large block with what the C library keeps in front of it and behind it: so neighbours touch.
std::span<const std::byte> with_rim(std::span<const std::byte> block) {
  constexpr std::size_t front = 2 * sizeof(void*);
  constexpr std::size_t back = sizeof(void*);
  return {block.data() - front, front + block.size() + back};
}

[[noreturn]] void not_allocated(const char* function, const void* block) {
  log().critical("{}: {} is no block in use", function, block);
  std::abort();
}

}  // namespace

Heap::Memory Heap::new_memory(std::size_t alignment, std::size_t bytes, bool zeroed) {
  if (alignment <= alignof(std::max_align_t) && bytes < large_block)
    return Memory(zeroed ? std::calloc(1, bytes) : std::malloc(bytes));
  // std::aligned_alloc wants a multiple of the alignment, and the C library here takes any alignment.
  void* aligned = nullptr;
  if (alignment > std::numeric_limits<std::size_t>::max() / 2 ||
      posix_memalign(&aligned, std::bit_ceil(std::max(alignment, cache_line)), bytes) != 0) {
    errno = ENOMEM;
    return nullptr;
  }
  Memory memory(aligned);
  if (zeroed) clear({static_cast<std::byte*>(memory.get()), bytes});
  return memory;
}

void* Heap::allocate(const cppc_type* type, std::size_t alignment, std::size_t bytes, bool zeroed) noexcept try {
  void* block = nullptr;
  if (is_small(alignment, bytes)) [[likely]] {
    block = small_.allocate(type, bytes, next_number_).block();
    bytes_ += bytes;
  } else {
    block = add_large({next_number_, bytes, alignment, type}, alignment, zeroed || may_hold_references(type));
  }
  next_number_ += block != nullptr ? 1 : 0;
  return block;
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return nullptr;
}

void* Heap::add_large(const HeapBlock& block, std::size_t alignment, bool zeroed) {
  Memory fresh = new_memory(alignment, block.bytes, zeroed);
  if (fresh == nullptr) return nullptr;
  track(fresh.get(), block);
  return fresh.release();
}

void Heap::track(void* address, const HeapBlock& block) {
  freed_.remove(with_rim(memory(address, block.bytes)));
  auto [entry, inserted] = large_.try_emplace(address, block);
  if (!inserted) {  // of a block that was given to free() itself
    bytes_ -= entry->second.bytes;
    entry->second = block;
  }
  bytes_ += block.bytes;
}

void Heap::forget(void* address) noexcept {
  const auto found = large_.find(address);
  if (found == large_.end()) return;
  bytes_ -= found->second.bytes;
  try {
    freed_.add(with_rim(memory(address, found->second.bytes)));
  } catch (const std::bad_alloc&) {
    // Pointers that dangle there are refused instead of carried over.
  }
  large_.erase(found);
}

void* Heap::reallocate(const cppc_type* type, void* block, std::size_t bytes) noexcept try {
  if (block == nullptr) return allocate(type, 0, bytes, false);
  if (bytes == 0) {  // as glibc does
    release(block);
    return nullptr;
  }
  SmallBlocks::Cell* cell = small_.find(block);
  if (cell != nullptr && cell->type() == nullptr) not_allocated("cppc_realloc()", block);
  return cell != nullptr ? resize_small(*cell, type, bytes) : resize_large(block, type, bytes);
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return nullptr;
}

void* Heap::resize_small(SmallBlocks::Cell& cell, const cppc_type* type, std::size_t bytes) {
  const std::size_t before = small_.bytes(cell);
  void* block = cell.block();
  if (small_.resize(cell, bytes)) {
    cell.set_type(type);
    bytes_ += bytes - before;
    return block;
  }
  const HeapBlock moved{cell.number(), bytes, 0, type};
  if (is_small(0, bytes)) return move_to_small(block, {cell.number(), before, 0, type}, type, bytes);
  void* large = add_large(moved, 0, may_hold_references(type));
  if (large == nullptr) return nullptr;
  std::memcpy(large, block, std::min(before, bytes));
  release(block);
  return large;
}

/// The block keeps its number.
void* Heap::move_to_small(void* block, const HeapBlock& known, const cppc_type* type, std::size_t bytes) {
  void* moved = small_.allocate(type, bytes, known.number).block();
  bytes_ += bytes;
  std::memcpy(moved, block, std::min(known.bytes, bytes));
  release(block);
  return moved;
}

/// The block, or when it is large a copy that begins with a cache line, if there is memory for one.
void* Heap::aligned(Memory block, std::size_t bytes) {
  if (bytes >= large_block && reinterpret_cast<std::uintptr_t>(block.get()) % cache_line != 0) {
    if (Memory copy = new_memory(0, bytes, false)) {
      std::memcpy(copy.get(), block.get(), bytes);
      return copy.release();
    }
  }
  return block.release();
}

void* Heap::resize_large(void* block, const cppc_type* type, std::size_t bytes) {
  const auto found = large_.find(block);
  const bool tracked = found != large_.end();
  if (tracked && is_small(0, bytes)) return move_to_small(block, found->second, type, bytes);
  const HeapBlock before = tracked ? found->second : HeapBlock{next_number_++, 0, 0, type};
  if (!tracked) track(block, before);  // now, while running out of memory does no harm
  Memory fresh(std::realloc(block, bytes));
  if (fresh == nullptr) {
    if (!tracked) forget(block);
    return nullptr;
  }
  void* const moved = aligned(std::move(fresh), bytes);
  if (tracked && bytes > before.bytes && may_hold_references(type)) {
    std::memset(static_cast<std::byte*>(moved) + before.bytes, 0, bytes - before.bytes);
  }
  auto node = large_.extract(block);  // has its memory already
  bytes_ += bytes - before.bytes;
  if (moved != block) forget(moved);
  node.key() = moved;
  node.mapped() = {before.number, bytes, 0, type};
  large_.insert(std::move(node));
  note_move(memory(block, before.bytes), memory(moved, bytes));
  return moved;
}

void Heap::note_move(std::span<const std::byte> from, std::span<const std::byte> to) noexcept try {
  freed_.add(with_rim(from));
  freed_.remove(with_rim(to));
} catch (const std::bad_alloc&) {
  // Pointers that dangle there are refused instead of carried over.
}

void Heap::release(void* block) noexcept {
  SmallBlocks::Cell* cell = small_.find(block);
  if (cell == nullptr) {
    if (block != nullptr) forget(block);
    std::free(block);
    return;
  }
  if (cell->type() == nullptr) not_allocated("cppc_free()", block);
  bytes_ -= small_.bytes(*cell);
  small_.release(*cell);
}

void Heap::set_type(const cppc_type* type, void* block) noexcept {
  SmallBlocks::Cell* cell = small_.find_start(block);
  if (cell != nullptr && is_unknown(*cell->type())) cell->set_type(type);
  if (small_.owns(block)) return;
  const auto found = large_.find(block);
  if (found != large_.end() && is_unknown(*found->second.type)) found->second.type = type;
}

std::vector<Heap::Entry> Heap::blocks() {
  std::vector<Entry> entries;
  entries.reserve(large_.size());
  small_.each([&](SmallBlocks::Cell& cell) {
    entries.push_back({cell.block(), {cell.number(), small_.bytes(cell), 0, cell.type()}});
  });
  for (const auto& [address, block] : large_) entries.push_back({static_cast<std::byte*>(address), block});
  std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.block.number; });
  return entries;
}

bool Heap::freed(const void* address) const { return small_.owns(address) || freed_.contains(memory(address, 1)); }

void Heap::reserve_numbers(std::uint64_t next) {
  next_number_ = std::max(next_number_, next);
  small_.each([this](SmallBlocks::Cell& cell) { cell.set_number(next_number_++); });
  for (auto& [address, block] : large_) block.number = next_number_++;
}

void* Heap::adopt(const HeapBlock& block, bool zeroed) noexcept try {
  if (is_small(block.alignment, block.bytes)) {
    bytes_ += block.bytes;
    return small_.allocate(block.type, block.bytes, block.number).block();
  }
  Memory memory = take_expected(block);
  const bool huge = block.bytes >= huge_page;
  if (memory == nullptr) {
    memory = new_memory(std::max(block.alignment, huge ? huge_page : 0), block.bytes, zeroed);
    if (memory != nullptr && huge) advise_huge_pages({static_cast<std::byte*>(memory.get()), block.bytes});
  }
  if (memory == nullptr) return nullptr;
  track(memory.get(), block);
  return memory.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

std::vector<std::size_t> Heap::large_sizes() const {
  std::vector<std::size_t> sizes;
  for (const auto& [address, block] : large_) {
    if (block.bytes >= large_block) sizes.push_back(block.bytes);
  }
  std::ranges::sort(sizes, std::ranges::greater());
  return sizes;
}

void Heap::expect(std::size_t bytes) {
  Memory memory = new_memory(huge_page, bytes, false);
  if (memory == nullptr) throw std::bad_alloc();
  const std::span pages(static_cast<std::byte*>(memory.get()), bytes);
  advise_huge_pages(pages);
  touch(pages);
  expected_.emplace(bytes, std::move(memory));
}

Heap::Memory Heap::take_expected(const HeapBlock& block) {
  const auto found = block.alignment <= huge_page ? expected_.find(block.bytes) : expected_.end();
  if (found == expected_.end()) return nullptr;
  Memory memory = std::move(found->second);
  expected_.erase(found);
  return memory;
}

Heap& heap() {
  static NeverDestroyed<Heap> instance;
  return *instance;
}

}  // namespace cppc

void* cppc_malloc(const cppc_type* type, size_t bytes) { return cppc::heap().allocate(type, 0, bytes, false); }

void* cppc_calloc(const cppc_type* type, size_t number, size_t bytes) {
  size_t total = 0;
  if (__builtin_mul_overflow(number, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return cppc::heap().allocate(type, 0, total, true);
}

void* cppc_realloc(const cppc_type* type, void* block, size_t bytes) {
  return cppc::heap().reallocate(type, block, bytes);
}

void* cppc_aligned_alloc(const cppc_type* type, size_t alignment, size_t bytes) {
  return cppc::heap().allocate(type, alignment, bytes, false);
}

int cppc_posix_memalign(const cppc_type* type, void** block, size_t alignment, size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* allocated = cppc::heap().allocate(type, alignment, bytes, false);
  errno = before;
  if (allocated == nullptr) return ENOMEM;
  *block = allocated;
  return 0;
}

char* cppc_strdup(const char* text) { return cppc_strndup(text, std::strlen(text)); }

char* cppc_strndup(const char* text, size_t length) {
  const std::size_t copied = strnlen(text, length);
  auto* copy = static_cast<char*>(cppc::heap().allocate(&cppc_type_char, 0, copied + 1, false));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, copied);
  copy[copied] = '\0';
  return copy;
}

void* cppc_typed(const cppc_type* type, void* block) {
  cppc::heap().set_type(type, block);
  return block;
}

void cppc_free(void* block) { cppc::heap().release(block); }
