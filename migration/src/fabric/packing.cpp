#include "fabric/packing.hpp"

#include <algorithm>
#include <cstring>

#include "fabric/zero.hpp"

namespace cppc::fabric {
namespace {

std::size_t blocks_of(std::size_t bytes) { return (bytes + zero_block_bytes - 1) / zero_block_bytes; }
std::size_t map_bytes(std::size_t bytes) { return (blocks_of(bytes) + 63) / 64 * 8; }

}  // namespace

std::size_t packed_bound(std::size_t bytes) { return map_bytes(bytes) + bytes; }

std::size_t unpacked_bound(std::size_t packed) {
  const std::size_t most_map = map_bytes(packed);
  return packed > most_map ? (packed - most_map) / zero_block_bytes * zero_block_bytes : 0;
}

std::size_t pack(std::span<const std::span<const std::byte>> pieces, std::span<std::byte> into) {
  std::size_t bytes = 0;
  for (const auto piece : pieces) bytes += piece.size();
  const auto map = into.first(map_bytes(bytes));
  const auto contents = into.subspan(map.size(), bytes);
  auto* end = contents.data();
  for (const auto piece : pieces) end = std::ranges::copy(piece, end).out;

  std::ranges::fill(map, std::byte{0});
  std::size_t kept = 0;
  for (std::size_t block = 0; block < blocks_of(bytes); ++block) {
    const std::size_t at = block * zero_block_bytes;
    const auto one = contents.subspan(at, std::min(zero_block_bytes, bytes - at));
    if (is_zero(one)) continue;
    map[block / 8] |= static_cast<std::byte>(1U << block % 8);
    if (kept != at) std::memmove(contents.data() + kept, one.data(), one.size());
    kept += one.size();
  }
  return map.size() + kept;
}

std::optional<std::vector<Unpacked>> unpack(std::span<const std::byte> packed, std::size_t bytes) {
  if (packed.size() < map_bytes(bytes)) return std::nullopt;
  const auto map = packed.first(map_bytes(bytes));
  auto rest = packed.subspan(map.size());
  std::vector<Unpacked> runs;
  for (std::size_t block = 0; block < blocks_of(bytes); ++block) {
    const std::size_t at = block * zero_block_bytes;
    const std::size_t length = std::min(zero_block_bytes, bytes - at);
    const bool kept = (map[block / 8] >> block % 8 & std::byte{1}) != std::byte{0};
    if (kept && rest.size() < length) return std::nullopt;
    if (runs.empty() || runs.back().contents.empty() == kept) runs.push_back({at, 0, rest.first(0)});
    Unpacked& run = runs.back();
    run.bytes += length;
    if (!kept) continue;
    run.contents = {run.contents.data(), run.bytes};
    rest = rest.subspan(length);
  }
  if (!rest.empty()) return std::nullopt;
  return runs;
}

}  // namespace cppc::fabric
