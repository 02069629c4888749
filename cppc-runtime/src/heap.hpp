/// The tracked heap: every block that the program allocated by cppc_malloc() and its kin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "address_ranges.hpp"
#include "cppc/cppc.h"
#include "small_blocks.hpp"

namespace cppc {

struct HeapBlock {
  std::uint64_t number = 0;  ///< kept for the block's life, across migrations
  std::size_t bytes = 0;
  std::size_t alignment = 0;  ///< asked for; 0: malloc's
  const cppc_type* type = nullptr;
};

/// Functions that allocate do so as the C library: null and errno on failure. They throw nothing. New memory that may
/// hold references is zero, so that a pointer never set is null, not garbage. Small blocks have memory of their own,
/// others are the C library's. Large ones begin with a cache line, in a replacement too: numerical libraries may add up
/// in another order, or be slower, when that differs.
class Heap {
 public:
  /// Bytes from which on memory is laid out, and made ready in a replacement, for being moved as a whole.
  static constexpr std::size_t large_block = std::size_t{1} << 20;

  struct Entry {
    std::byte* address;
    HeapBlock block;
  };

  void* allocate(const cppc_type* type, std::size_t alignment, std::size_t bytes, bool zeroed) noexcept;
  void* reallocate(const cppc_type* type, void* block, std::size_t bytes) noexcept;
  void release(void* block) noexcept;

  /// As cppc_typed().
  void set_type(const cppc_type* type, void* block) noexcept;

  /// Bytes of all blocks.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// How many there are.
  [[nodiscard]] std::size_t count() const { return small_.count() + large_.size(); }

  /// All blocks by rising number.
  [[nodiscard]] std::vector<Entry> blocks();

  /// Whether the address, which is in no block now, was in one. Of a large block the C library may have given the
  /// memory to another library since; then the answer is yes all the same.
  [[nodiscard]] bool freed(const void* address) const;

  /// A small block that begins close behind an address that is in no block: programs in the manner of FORTRAN have
  /// pointers to before an array. Null: there is none.
  [[nodiscard]] const void* block_behind(const void* address) const { return small_.block_behind(address); }

  [[nodiscard]] std::uint64_t next_number() const { return next_number_; }

  /// Leaves all numbers below `next` to blocks of an image: blocks that exist get numbers from `next` on.
  void reserve_numbers(std::uint64_t next);

  /// Blocks that are worth preparing for, by size, the largest first.
  [[nodiscard]] std::vector<std::size_t> large_sizes() const;

  /// Takes memory for a block that adopt() will be asked for, and touches it. Throws std::bad_alloc.
  void expect(std::size_t bytes);

  /// Gives back what was expected and has not come.
  void expect_no_more() { expected_.clear(); }

  /// A block of an image, `block.number` below those reserved; its place is fit for receiving into. Null: no memory.
  void* adopt(const HeapBlock& block, bool zeroed) noexcept;

 private:
  struct Free {
    void operator()(void* block) const { std::free(block); }
  };
  using Memory = std::unique_ptr<void, Free>;

  static Memory new_memory(std::size_t alignment, std::size_t bytes, bool zeroed);
  static void* aligned(Memory block, std::size_t bytes);
  Memory take_expected(const HeapBlock& block);
  void* resize_small(SmallBlocks::Cell& cell, const cppc_type* type, std::size_t bytes);
  void* resize_large(void* block, const cppc_type* type, std::size_t bytes);
  void* move_to_small(void* block, const HeapBlock& known, const cppc_type* type, std::size_t bytes);
  void* add_large(const HeapBlock& block, std::size_t alignment, bool zeroed);
  void track(void* address, const HeapBlock& block);
  void forget(void* address) noexcept;
  void note_move(std::span<const std::byte> from, std::span<const std::byte> to) noexcept;

  SmallBlocks small_;
  std::unordered_map<void*, HeapBlock> large_;  ///< and what the C library allocated and cppc_realloc() took over
  std::unordered_multimap<std::size_t, Memory> expected_;  ///< by size
  AddressRanges freed_;                                    ///< of large blocks, not used again for any
  std::uint64_t next_number_ = 1;
  std::uint64_t bytes_ = 0;
};

Heap& heap();

}  // namespace cppc
