#include "fabric/zero.hpp"

#include <algorithm>
#include <cstring>

namespace cppc::fabric {
namespace {

template <class Wanted>
std::size_t prefix(std::span<const std::byte> bytes, Wanted wanted) {
  std::size_t length = 0;
  while (length < bytes.size()) {
    const auto block = bytes.subspan(length, std::min(zero_block_bytes, bytes.size() - length));
    if (!wanted(block)) break;
    length += block.size();
  }
  return length;
}

}  // namespace

bool is_zero(std::span<const std::byte> bytes) {
  // Equal to itself shifted by one byte, with a first byte of zero: the C library's memcmp is as fast as memory.
  return bytes.empty() ||
         (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

std::size_t zero_prefix(std::span<const std::byte> bytes) { return prefix(bytes, is_zero); }

std::size_t nonzero_prefix(std::span<const std::byte> bytes) {
  return prefix(bytes, [](std::span<const std::byte> block) { return !is_zero(block); });
}

}  // namespace cppc::fabric
