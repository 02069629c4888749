#include "copy_memory.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace cppc::migration {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

CopyMemory::~CopyMemory() {
  for (const Piece& piece : pieces_) munmap(piece.start, piece.bytes);
}

bool CopyMemory::take(std::size_t bytes) {
  const std::size_t size = rounded(std::max<std::size_t>(bytes, 1), kHugePage);
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return false;
  pieces_.push_back({static_cast<std::byte*>(start), size});
  madvise(start, size, MADV_HUGEPAGE);        // advice
  madvise(start, size, MADV_POPULATE_WRITE);  // what is not touched now is touched later
  return true;
}

std::byte* CopyMemory::next(std::size_t bytes) {
  const std::size_t size = rounded(bytes, kLine);
  while (piece_ < pieces_.size() && pieces_[piece_].bytes - used_ < size) {
    ++piece_;
    used_ = 0;
  }
  if (piece_ == pieces_.size() && !take(size)) return nullptr;
  std::byte* const start = pieces_[piece_].start + used_;
  used_ += size;
  return start;
}

}  // namespace cppc::migration
