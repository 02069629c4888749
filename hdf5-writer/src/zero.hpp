/// Finding the blocks of an object that are all zero and need not be stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cppc::image {

inline constexpr std::size_t zero_block_bytes = 4096;

/// Elements `first` to `first + count - 1` of an object.
struct Run {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Run&) const = default;
};

/// True when all bits are zero: the value -0.0 is not.
bool is_zero(std::span<const std::byte> bytes);

/// The runs of elements that are left when all-zero blocks are taken out. Blocks are of as many whole elements as fit
/// zero_block_bytes, at least one. `data` holds whole elements of `element_bytes` > 0; when it is smaller than
/// zero_block_bytes it is one run.
std::vector<Run> nonzero_runs(std::span<const std::byte> data, std::size_t element_bytes);

}  // namespace cppc::image
