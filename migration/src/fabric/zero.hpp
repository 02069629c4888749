/// Finding what is all zero and need not travel.
#pragma once

#include <cstddef>
#include <span>

namespace cppc::fabric {

/// Memory is looked at in blocks of this size, counted from where one begins to look; the last may be shorter.
inline constexpr std::size_t zero_block_bytes = 4096;

/// True when all bits are zero: the value -0.0 is not.
bool is_zero(std::span<const std::byte> bytes);

/// Bytes of the leading blocks that are zero.
std::size_t zero_prefix(std::span<const std::byte> bytes);

/// Bytes in front of the first block that is zero.
std::size_t nonzero_prefix(std::span<const std::byte> bytes);

}  // namespace cppc::fabric
