#include "address/slabs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdlib>

#include "address/runs.hpp"

namespace cppc::address::heap {

namespace {

std::uint32_t capacity(unsigned size_class) {
  return static_cast<std::uint32_t>(kUnitBytes / size_class_bytes(size_class));
}

bool has_room(const Unit& slab, unsigned size_class) {
  return slab.slab.free != nullptr || slab.slab.fresh < capacity(size_class);
}

void link(std::uint32_t slab, unsigned size_class) {
  std::uint32_t& head = tables().with_room[size_class];
  unit(slab).previous = 0;
  unit(slab).next = head;
  if (head != 0) unit(head).previous = slab;
  head = slab;
}

void unlink(std::uint32_t slab, unsigned size_class) {
  const Unit& known = unit(slab);
  (known.previous != 0 ? unit(known.previous).next : tables().with_room[size_class]) = known.next;
  if (known.next != 0) unit(known.next).previous = known.previous;
}

std::uint32_t add_slab(unsigned size_class) {
  const std::uint32_t slab = take_run(1);
  if (slab == 0) return 0;
  unit(slab).slab = {.free = nullptr, .fresh = 0, .used = 0};
  unit(slab).zero = false;
  kind(slab) = static_cast<std::uint8_t>(kFirstSlab + size_class);
  ++tables().slabs;
  link(slab, size_class);
  return slab;
}

void give_slab(std::uint32_t slab, unsigned size_class) {
  unlink(slab, size_class);
  --tables().slabs;
  give_run(slab);
}

/// From a slab with room; how many.
std::uint32_t take_blocks(std::uint32_t slab, unsigned size_class, std::uint32_t most, FreeBlock**& end) {
  auto& known = unit(slab).slab;
  std::uint32_t taken = 0;
  for (; taken < most && known.free != nullptr; ++taken) {
    *end = known.free;
    end = &known.free->next;
    known.free = known.free->next;
  }
  const std::size_t bytes = size_class_bytes(size_class);
  for (const std::uint32_t all = capacity(size_class); taken < most && known.fresh < all; ++taken, ++known.fresh) {
    *end = reinterpret_cast<FreeBlock*>(unit_memory(slab) + known.fresh * bytes);
    end = &(*end)->next;
  }
  known.used += taken;
  return taken;
}

}  // namespace

void fill(CacheList& list, unsigned size_class, std::uint32_t blocks) {
  FreeBlock* const before = list.first;
  FreeBlock** end = &list.first;
  while (blocks > 0) {
    std::uint32_t slab = tables().with_room[size_class];
    if (slab == 0) slab = add_slab(size_class);
    if (slab == 0) break;
    const std::uint32_t taken = take_blocks(slab, size_class, blocks, end);
    list.count += taken;
    blocks -= taken;
    if (!has_room(unit(slab), size_class)) unlink(slab, size_class);
  }
  *end = before;
}

void drain(CacheList& list, std::uint32_t blocks) {
  for (; blocks > 0 && list.first != nullptr; --blocks) {
    FreeBlock* const block = list.first;
    const std::uint32_t slab = unit_of(block);
    const unsigned size_class = kind(slab) - kFirstSlab;
    if (block_at(slab, block) != reinterpret_cast<std::byte*>(block)) no_block("free", block);
    list.first = block->next;
    --list.count;
    Unit& known = unit(slab);
    if (!has_room(known, size_class)) link(slab, size_class);
    block->next = known.slab.free;
    known.slab.free = block;
    if (--known.slab.used > 0) continue;
    known.slab = {.free = nullptr, .fresh = 0, .used = 0};
    if (known.next != 0 || known.previous != 0) give_slab(slab, size_class);
  }
}

void forget_last_free(std::uint32_t slab) {
  auto& known = unit(slab).slab;
  if (known.free == nullptr) return;
  const std::size_t bytes = size_class_bytes(kind(slab) - kFirstSlab);
  const auto number = [&](const FreeBlock* block) {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(block) - unit_memory(slab)) / bytes;
  };
  std::bitset<kUnitBytes / size_class_bytes(0)> free;
  for (const FreeBlock* block = known.free; block != nullptr; block = block->next) free.set(number(block));
  std::uint32_t fresh = known.fresh;
  while (fresh > 0 && free[fresh - 1]) --fresh;
  if (fresh == known.fresh) return;
  known.fresh = fresh;
  FreeBlock** end = &known.free;
  for (FreeBlock* block = known.free; block != nullptr; block = block->next) {
    if (number(block) >= fresh) continue;
    *end = block;
    end = &block->next;
  }
  *end = nullptr;
}

std::byte* block_at(std::uint32_t slab, const void* address) {
  const auto bytes = static_cast<std::uint32_t>(size_class_bytes(kind(slab) - kFirstSlab));
  const auto offset = static_cast<std::uint32_t>(static_cast<const std::byte*>(address) - unit_memory(slab));
  const std::uint32_t number = offset / bytes;
  return number < unit(slab).slab.fresh ? unit_memory(slab) + std::size_t{number} * bytes : nullptr;
}

void no_block(const char* function, const void* address) {
  std::array<char, 128> line;
  const auto text = fmt::format_to_n(line.data(), line.size(), "cppc: {}(): {} is no block of the program's heap\n",
                                     function, address);
  // Nothing can be done when the message cannot be written: the process ends all the same.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), std::min(text.size, line.size()));
  std::abort();
}

}  // namespace cppc::address::heap
