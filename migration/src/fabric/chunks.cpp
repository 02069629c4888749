#include "fabric/chunks.hpp"

#include <algorithm>

namespace cppc::fabric {
namespace {

// From here on a write of its own costs less than the copy.
constexpr std::size_t worth_a_write = std::size_t{64} << 10;

}  // namespace

void Chunker::advance(std::size_t bytes) {
  done_ += bytes;
  while (extent_ < extents_.size() && done_ == extents_[extent_].bytes.size()) {
    ++extent_;
    done_ = 0;
  }
}

std::optional<Chunk> Chunker::next() {
  advance(0);  // over empty extents
  if (extent_ == extents_.size()) return std::nullopt;
  Chunk chunk{.offset = extents_[extent_].offset + done_, .bytes = 0, .pieces = {}};
  do {
    const bool large = rest().size() >= worth_a_write;
    if (large && !chunk.pieces.empty()) break;
    const auto piece = rest().first(std::min(rest().size(), chunk_bytes_ - chunk.bytes));
    chunk.pieces.push_back(piece);
    chunk.bytes += piece.size();
    advance(piece.size());
    if (large) break;
  } while (extent_ < extents_.size() && chunk.bytes < chunk_bytes_ &&
           extents_[extent_].offset + done_ == chunk.offset + chunk.bytes);
  return chunk;
}

}  // namespace cppc::fabric
