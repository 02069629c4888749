#include "fabric/chunks.hpp"

#include <algorithm>

#include "fabric/zero.hpp"

namespace cppc::fabric {
namespace {

// So that signs of life are given in between.
constexpr std::size_t most_zeros = std::size_t{64} << 20;

std::span<const std::byte> at_most(std::span<const std::byte> bytes, std::size_t most) {
  return bytes.first(std::min(bytes.size(), most));
}

}  // namespace

void Chunker::skip_empty() {
  while (extent_ < extents_.size() && done_ == extents_[extent_].bytes.size()) {
    ++extent_;
    done_ = 0;
  }
}

bool Chunker::at_large_extent() const { return rest().size() >= worth_a_write; }

/// How much of the extent can be sent from here on in one write.
std::size_t Chunker::plain_bytes() {
  const RemotePlace* place = places_.find(offset());
  if (place == nullptr || pack_all_) return 0;
  const std::uint64_t room = place->bytes - (offset() - place->offset);
  return nonzero_prefix(at_most(rest(), std::min<std::uint64_t>(limits_.plain, room)));
}

void Chunker::take(Chunk& chunk, std::size_t bytes) {
  if (chunk.coding != Coding::zero) chunk.pieces.push_back(rest().first(bytes));
  chunk.bytes += bytes;
  done_ += bytes;
  skip_empty();
}

void Chunker::gather(Chunk& chunk) {
  chunk.coding = Coding::packed;
  const bool large = at_large_extent();
  do {
    take(chunk, std::min(rest().size(), limits_.packed - chunk.bytes));
  } while (!large && extent_ < extents_.size() && chunk.bytes < limits_.packed && !at_large_extent() &&
           offset() == chunk.offset + chunk.bytes);
}

std::optional<Chunk> Chunker::next() {
  if (at_end()) return std::nullopt;
  Chunk chunk{.index = index_++, .offset = offset(), .bytes = 0, .coding = Coding::plain, .pieces = {}};
  if (at_large_extent()) {
    const std::size_t zeros = zero_prefix(at_most(rest(), most_zeros));
    if (zeros >= worth_a_write) {
      chunk.coding = Coding::zero;
      take(chunk, zeros);
      return chunk;
    }
    const std::size_t plain = zeros > 0 ? 0 : plain_bytes();
    if (plain >= std::min(worth_a_write, limits_.plain)) {
      take(chunk, plain);
      return chunk;
    }
  }
  gather(chunk);
  return chunk;
}

/// Whether it can travel in one piece.
bool Chunker::fits(const Chunk& chunk) const {
  switch (chunk.coding) {
    case Coding::zero:
      return true;
    case Coding::plain:
      return chunk.pieces.size() == 1 && chunk.bytes <= limits_.plain && places_.find(chunk.offset) != nullptr;
    case Coding::packed:
      return chunk.bytes <= limits_.packed;
    default:
      return false;
  }
}

std::optional<Chunk> Chunker::again(std::uint64_t index, std::uint64_t offset, std::uint64_t bytes,
                                    Coding coding) const {
  Chunk chunk{.index = index, .offset = offset, .bytes = bytes, .coding = coding, .pieces = {}};
  if (coding == Coding::compressed) chunk.coding = Coding::packed;  // whether to compress is decided anew
  std::uint64_t found = 0;
  const auto ends_before = [&](const Extent& one) { return one.offset + one.bytes.size() <= offset; };
  for (auto one = std::partition_point(extents_.begin(), extents_.end(), ends_before);
       one != extents_.end() && found < bytes && one->offset <= offset + found; ++one) {
    const auto part = at_most(one->bytes.subspan(offset + found - one->offset), bytes - found);
    found += part.size();
    if (!part.empty()) chunk.pieces.push_back(part);
  }
  const bool known = index < index_ && bytes > 0 && found == bytes && fits(chunk);
  return known ? std::optional(std::move(chunk)) : std::nullopt;
}

}  // namespace cppc::fabric
