/// How pieces too small for a write of their own travel: copied together, without the blocks that are zero.
///
/// Packed: one bit a block, 1 where it is not zero, in as many bytes as it takes, rounded up to eight; then these
/// blocks one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cppc::fabric {

/// The most that `bytes` can become.
std::size_t packed_bound(std::size_t bytes);

/// How many bytes become no more than `packed`: whole blocks, so that the next ones are those of the memory as well.
std::size_t unpacked_bound(std::size_t packed);

/// Packs `pieces` into `into`, which has room for it; returns how much was filled.
std::size_t pack(std::span<const std::span<const std::byte>> pieces, std::span<std::byte> into);

/// A run of blocks of what was packed: `contents` from byte `offset` on, or zeros.
struct Unpacked {
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::span<const std::byte> contents;  ///< empty: zeros
};

/// Of `bytes` that were packed; nothing when `packed` cannot be that.
std::optional<std::vector<Unpacked>> unpack(std::span<const std::byte> packed, std::size_t bytes);

}  // namespace cppc::fabric
