#include "small_blocks.hpp"

#include <cstdlib>
#include <new>

namespace cppc {

void SmallBlocks::Free::operator()(void* memory) const { std::free(memory); }

SmallBlocks::Cell* SmallBlocks::find_start(void* address) const {
  const Slab* slab = slab_of(address);
  if (slab == nullptr || slab->live == 0) return nullptr;
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(address) - slab->memory);
  if (offset % slab->stride != sizeof(Cell) || offset / slab->stride >= slab->fresh) return nullptr;
  Cell* cell = slab->cell(offset / slab->stride);
  return cell->type() != nullptr ? cell : nullptr;
}

const void* SmallBlocks::block_behind(const void* address) const {
  const Slab* slab = slab_of(address);
  if (slab == nullptr || slab->live == 0) return nullptr;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - slab->memory);
  const std::size_t index = offset / slab->stride, within = offset % slab->stride;
  if (within == sizeof(Cell)) return nullptr;
  for (std::size_t next = within < sizeof(Cell) ? index : index + 1; next <= index + 1 && next < slab->fresh; ++next)
    if (Cell* cell = slab->cell(next); cell->type() != nullptr) return cell->block();
  return nullptr;
}

std::size_t SmallBlocks::count() const {
  std::size_t cells = 0;
  for (const Slab& slab : slabs_) cells += slab.live;
  return cells;
}

bool SmallBlocks::resize(Cell& cell, std::size_t size) {
  const std::size_t room = slab_of(&cell)->size_class * step;
  const std::size_t before = bytes(cell);
  if (size > largest || class_of(size) * step != room) return false;
  if (size > before) std::memset(cell.block() + before, 0, size - before);
  cell.state_ = cell.number() << Cell::slack_bits | (room - size);
  return true;
}

SmallBlocks::Slab& SmallBlocks::add_slab(std::size_t size_class) {
  if (empty_.empty()) add_chunk();
  Slab& slab = *empty_.back();
  empty_.pop_back();
  const auto stride = static_cast<std::uint32_t>(sizeof(Cell) + size_class * step);
  slab = {.memory = slab.memory,
          .capacity = static_cast<std::uint32_t>(slab_bytes / stride),
          .stride = stride,
          .size_class = size_class};
  link(slab);
  return slab;
}

/// Nothing changes when there is no memory for all of it.
void SmallBlocks::add_chunk() {
  // As many as will ever be empty: retire() must not fail.
  empty_.reserve(slabs_.size() + chunk_slabs);
  std::unique_ptr<std::byte, Free> chunk(
      static_cast<std::byte*>(std::aligned_alloc(slab_bytes, chunk_slabs * slab_bytes)));
  if (chunk == nullptr) throw std::bad_alloc();
  const auto first = reinterpret_cast<std::uintptr_t>(chunk.get()) >> slab_bits;
  for (std::uintptr_t page = first; page < first + chunk_slabs; ++page) {
    auto& table = tables_.at(page >> table_bits);
    if (table == nullptr) table.reset(static_cast<Table*>(std::calloc(1, sizeof(Table))));
    if (table == nullptr) throw std::bad_alloc();
  }
  slabs_.resize(slabs_.size() + chunk_slabs);
  for (std::size_t i = 0; i < chunk_slabs; ++i) {
    Slab& slab = slabs_[slabs_.size() - 1 - i];
    slab.memory = chunk.get() + (chunk_slabs - 1 - i) * slab_bytes;
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(slab.memory) >> slab_bits;
    (*tables_[page >> table_bits])[page & (table_size - 1)] = &slab;
    empty_.push_back(&slab);
  }
  (void)chunk.release();  // stays for the life of the process
}

void SmallBlocks::link(Slab& slab) {
  Slab*& first = with_room_[slab.size_class];
  slab.previous = nullptr;
  slab.next = first;
  if (first != nullptr) first->previous = &slab;
  first = &slab;
}

void SmallBlocks::unlink(Slab& slab) {
  (slab.previous != nullptr ? slab.previous->next : with_room_[slab.size_class]) = slab.next;
  if (slab.next != nullptr) slab.next->previous = slab.previous;
}

/// No cell is in use: the slab may serve any class.
void SmallBlocks::retire(Slab& slab) {
  unlink(slab);
  slab.fresh = 0;
  empty_.push_back(&slab);
}

}  // namespace cppc
