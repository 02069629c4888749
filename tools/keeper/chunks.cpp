#include "chunks.hpp"

#include <algorithm>
#include <array>

#include "cppc/fault.hpp"

namespace cppc::keeper {
namespace {

using tools::error;

constexpr std::uint64_t last = ~std::uint64_t{0};  // instead of a chunk's number: there are no more

// Before the bytes of a chunk.
struct ChunkHead {
  std::uint64_t index = last;
  std::uint64_t hash = 0;
};

std::span<const std::byte> chunk_of(const Image* image, std::size_t index) {
  return image != nullptr && index < image->chunks().size() ? image->chunk(index) : std::span<const std::byte>();
}

bool is_zero(const Image* image, std::size_t index) { return chunk_of(image, index).empty() || image->is_zero(index); }

bool is_same(const Image& one, const Image* other, std::size_t index) {
  const auto ours = chunk_of(&one, index), theirs = chunk_of(other, index);
  if (ours.size() == theirs.size() && !ours.empty()) return one.chunks()[index] == other->chunks()[index];
  return is_zero(&one, index) && is_zero(other, index);
}

void add(std::span<const std::byte> bytes, std::span<std::byte> sum) {
  std::ranges::transform(bytes, sum, sum.begin(), [](std::byte one, std::byte other) { return one ^ other; });
}

}  // namespace

Result<void> send_chunk(Stream& stream, std::uint64_t index, std::uint64_t hash, std::span<const std::byte> bytes) {
  const ChunkHead head{index, hash};
  if (auto sent = stream.send_numbers(std::span(&head, 1)); !sent) return sent;
  return stream.send(bytes);
}

Result<void> send_end(Stream& stream) {
  const ChunkHead end;
  return stream.send_numbers(std::span(&end, 1));
}

Result<void> receive_chunks(Stream& stream, std::uint64_t bytes, const TakeChunk& take) {
  std::vector<std::byte> memory(chunk_bytes);
  for (ChunkHead head;;) {
    if (auto got = stream.receive_numbers(std::span(&head, 1)); !got) return got;
    if (head.index == last) return {};
    if (head.index >= chunk_count(bytes)) return error("a chunk is none of the image");
    const auto chunk = std::span(memory).first(size_of_chunk(bytes, head.index));
    if (auto got = stream.receive(chunk); !got) return got;
    if (hash_of(chunk) != head.hash) return error("a chunk has been damaged on its way");
    if (auto taken = take(head.index, chunk); !taken) return taken;
  }
}

Result<void> send_difference(Stream& stream, const Image* old, const Image& image) {
  const std::uint64_t bytes = std::max(image.bytes().size(), old == nullptr ? 0 : old->bytes().size());
  std::vector<std::byte> memory(chunk_bytes);
  for (std::size_t i = 0; i < chunk_count(bytes); ++i) {
    if (is_same(image, old, i)) continue;
    if (auto faulty = fault::at("keeper-difference"); !faulty) return error(cppc_status_text(faulty.error()));
    if (old == nullptr) {
      if (auto sent = send_chunk(stream, i, image.chunks()[i], image.chunk(i)); !sent) return sent;
      continue;
    }
    const auto chunk = std::span(memory).first(size_of_chunk(bytes, i));
    std::ranges::fill(chunk, std::byte{0});
    add(chunk_of(&image, i), chunk);
    add(chunk_of(old, i), chunk);
    if (auto sent = send_chunk(stream, i, hash_of(chunk), chunk); !sent) return sent;
  }
  return send_end(stream);
}

}  // namespace cppc::keeper
