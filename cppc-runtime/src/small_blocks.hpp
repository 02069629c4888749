/// Memory for small blocks, which programs allocate by the million: equal cells in slabs, each with what is known of
/// its block right in front of it. No cell of a slab is ever memory of the C library, nor the other way round.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "cppc/cppc.h"

namespace cppc {

class SmallBlocks {
 private:
  struct Slab;

 public:
  static constexpr std::size_t largest = 1024;
  static constexpr std::uint64_t max_number = std::uint64_t{1} << 58;

  /// In front of a block, whose bytes follow it.
  class alignas(std::max_align_t) Cell {
   public:
    [[nodiscard]] std::byte* block() { return reinterpret_cast<std::byte*>(this + 1); }
    [[nodiscard]] const cppc_type* type() const { return type_; }  ///< null: it is free
    [[nodiscard]] std::uint64_t number() const { return state_ >> slack_bits; }
    void set_type(const cppc_type* type) { type_ = type; }
    void set_number(std::uint64_t number) { state_ = number << slack_bits | (state_ & max_slack); }

   private:
    friend class SmallBlocks;
    static constexpr unsigned slack_bits = 5;
    static constexpr std::uint64_t max_slack = (1U << slack_bits) - 1;

    const cppc_type* type_;
    std::uint64_t state_;  ///< number and slack, the bytes behind the block; of a free cell the address of the next one
  };

  /// A zeroed block of at most `largest` bytes, `number` < max_number. Throws std::bad_alloc.
  Cell& allocate(const cppc_type* type, std::size_t bytes, std::uint64_t number) {
    const std::size_t size_class = class_of(bytes);
    Slab* slab = with_room_[size_class];
    if (slab == nullptr) slab = &add_slab(size_class);
    Cell* cell = slab->free;
    if (cell != nullptr) {
      slab->free = reinterpret_cast<Cell*>(static_cast<std::uintptr_t>(cell->state_));
    } else {
      cell = slab->cell(slab->fresh++);
    }
    if (++slab->live == slab->capacity) unlink(*slab);
    cell->type_ = type;
    cell->state_ = number << Cell::slack_bits | (size_class * step - bytes);
    std::memset(cell->block(), 0, bytes);
    return *cell;
  }

  /// The cell of a block that was given out here, null for any other address outside of slabs. `block` is no address in
  /// the middle of a block.
  [[nodiscard]] Cell* find(void* block) const {
    return slab_of(block) != nullptr ? static_cast<Cell*>(block) - 1 : nullptr;
  }

  /// Likewise for any address: null also when no block in use starts there.
  [[nodiscard]] Cell* find_start(void* address) const;

  void release(Cell& cell) {
    Slab& slab = *slab_of(&cell);
    cell.type_ = nullptr;
    cell.state_ = reinterpret_cast<std::uintptr_t>(slab.free);
    slab.free = &cell;
    if (slab.live == slab.capacity) link(slab);
    const bool others = slab.next != nullptr || slab.previous != nullptr;
    if (--slab.live == 0 && others) retire(slab);
  }

  [[nodiscard]] std::size_t bytes(const Cell& cell) const {
    return slab_of(&cell)->size_class * step - (cell.state_ & Cell::max_slack);
  }

  /// Changes the size without moving, new bytes are zero; false when the cell does not fit the size.
  bool resize(Cell& cell, std::size_t bytes);

  /// Whether the address is in memory of slabs, in use or not.
  [[nodiscard]] bool owns(const void* address) const { return slab_of(address) != nullptr; }

  /// The block in use that begins close behind the address, which is at no block's beginning; null: there is none.
  [[nodiscard]] const void* block_behind(const void* address) const;

  /// Cells in use.
  [[nodiscard]] std::size_t count() const;

  /// Calls visit(cell) for each cell in use.
  template <typename Visit>
  void each(Visit visit) {
    for (Slab& slab : slabs_) {
      for (std::uint32_t i = 0; i < slab.fresh; ++i) {
        if (Cell& cell = *slab.cell(i); cell.type() != nullptr) visit(cell);
      }
    }
  }

 private:
  static constexpr std::size_t step = 16;
  static constexpr unsigned slab_bits = 16;
  static constexpr std::size_t slab_bytes = std::size_t{1} << slab_bits;
  static constexpr std::size_t chunk_slabs = 16;
  static constexpr unsigned address_bits = 48;  // of what a process can map; beyond, addresses are not of slabs
  static constexpr unsigned table_bits = 18;
  static constexpr std::size_t table_size = std::size_t{1} << table_bits;
  static constexpr std::size_t table_count = std::size_t{1} << (address_bits - slab_bits - table_bits);

  struct Slab {
    std::byte* memory = nullptr;
    Cell* free = nullptr;        ///< cells in use before
    std::uint32_t fresh = 0;     ///< cells that have been in use; the others lie behind them
    std::uint32_t live = 0;      ///< cells in use
    std::uint32_t capacity = 0;  ///< cells
    std::uint32_t stride = 0;    ///< bytes from cell to cell
    std::size_t size_class = 0;  ///< in steps
    Slab* next = nullptr;        ///< with room, of the same class
    Slab* previous = nullptr;

    [[nodiscard]] Cell* cell(std::size_t index) const { return reinterpret_cast<Cell*>(memory + index * stride); }
  };
  using Table = std::array<Slab*, table_size>;
  struct Free {
    void operator()(void* memory) const;
  };

  /// Zero bytes have an address of their own, too.
  static std::size_t class_of(std::size_t bytes) { return bytes == 0 ? 1 : (bytes + step - 1) / step; }

  [[nodiscard]] Slab* slab_of(const void* address) const {
    const std::uint64_t value = reinterpret_cast<std::uintptr_t>(address);
    const std::uint64_t high = value >> (slab_bits + table_bits);
    const Table* table = high < table_count ? tables_[high].get() : nullptr;
    return table != nullptr ? (*table)[value >> slab_bits & (table_size - 1)] : nullptr;
  }

  Slab& add_slab(std::size_t size_class);
  void add_chunk();
  void link(Slab& slab);
  void unlink(Slab& slab);
  void retire(Slab& slab);

  std::array<std::unique_ptr<Table, Free>, table_count> tables_{};  ///< by the high bits of addresses
  std::array<Slab*, largest / step + 1> with_room_{};               ///< by size class
  std::deque<Slab> slabs_;
  std::vector<Slab*> empty_;
};

}  // namespace cppc
