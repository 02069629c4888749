#include "address/mpi_memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace cppc::address {

namespace {

struct Noted {
  std::atomic<std::uintptr_t> begin;
  std::atomic<std::size_t> bytes;
};

/// Those of constructors are some thousand. Beyond, nothing in the heap passes for MPI's.
constinit std::array<Noted, 65536> blocks;
constinit std::atomic<std::size_t> block_count = 0;

/// The last ones. Without an earlier one, what is there does not pass for MPI's.
constinit std::array<Noted, 1024> mappings;
constinit std::atomic<std::size_t> mapping_count = 0;

void note(Noted& one, const void* begin, std::size_t bytes) {
  one.begin.store(reinterpret_cast<std::uintptr_t>(begin));
  one.bytes.store(bytes);
}

}  // namespace

void note_block_of_libraries(const void* block, std::size_t bytes) {
  if (block == nullptr) return;
  const std::size_t number = block_count.fetch_add(1);
  if (number < blocks.size()) note(blocks[number], block, bytes);
}

void note_mapping_of_mpi(const void* begin, std::size_t bytes) {
  note(mappings[mapping_count.fetch_add(1) % mappings.size()], begin, bytes);
}

void MpiMemory::read_blocks() {
  read_ = true;
  const std::size_t count = std::min(block_count.load(), blocks.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t begin = blocks[i].begin.load();
    of_libraries_.push_back({begin, begin + std::max<std::size_t>(blocks[i].bytes.load(), 1)});
  }
  std::ranges::sort(of_libraries_, {}, &Block::begin);
  // Blocks that were freed meanwhile may overlap later ones: one that reaches further hides none behind it.
  for (std::size_t i = 1; i < of_libraries_.size(); ++i)
    of_libraries_[i].end = std::max(of_libraries_[i].end, of_libraries_[i - 1].end);
}

bool MpiMemory::holds(const MemoryMap::Range& range, std::uintptr_t address) {
  const auto mapped = [address](const Noted& one) { return address - one.begin.load() < one.bytes.load(); };
  if (std::ranges::any_of(mappings, mapped)) return true;
  if (block_count.load() > blocks.size() || !heap_.holds(range, address)) return false;
  if (!read_) read_blocks();
  const auto next = std::ranges::upper_bound(of_libraries_, address, {}, &Block::begin);
  return next == of_libraries_.begin() || address >= std::prev(next)->end;
}

}  // namespace cppc::address
