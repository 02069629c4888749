#include "zero.hpp"

#include <algorithm>
#include <cstring>

namespace cppc::image {

bool is_zero(std::span<const std::byte> bytes) {
  // Equal to itself shifted by one byte, with a first byte of zero: the C library's memcmp is as fast as memory.
  return bytes.empty() ||
         (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

std::vector<Run> nonzero_runs(std::span<const std::byte> data, std::size_t element_bytes) {
  const std::uint64_t count = data.size() / element_bytes;
  if (count == 0) {
    return {};
  }
  if (data.size() < zero_block_bytes) {
    return {Run{0, count}};
  }
  const std::uint64_t block = std::max<std::uint64_t>(1, zero_block_bytes / element_bytes);
  std::vector<Run> runs;
  for (std::uint64_t first = 0; first < count; first += block) {
    const std::uint64_t elements = std::min(block, count - first);
    if (is_zero(data.subspan(first * element_bytes, elements * element_bytes))) {
      continue;
    }
    if (!runs.empty() && runs.back().first + runs.back().count == first) {
      runs.back().count += elements;
    } else {
      runs.push_back({first, elements});
    }
  }
  return runs;
}

}  // namespace cppc::image
