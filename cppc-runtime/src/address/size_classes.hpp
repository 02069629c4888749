/// Sizes of the small blocks of the program's heap: steps of 16 bytes up to 512, then four for each doubling.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace cppc::address {

inline constexpr std::size_t kLargestSmall = std::size_t{1} << 16;
inline constexpr unsigned kSizeClasses = 60;

/// `bytes` <= kLargestSmall. No bytes have an address of their own, too.
constexpr unsigned size_class_of(std::size_t bytes) {
  if (bytes <= 512) return static_cast<unsigned>((bytes - (bytes != 0 ? 1 : 0)) >> 4);
  const auto doubling = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;
  return 32 + (doubling - 9) * 4 + ((bytes - 1) >> (doubling - 2) & 3);
}

constexpr std::size_t size_class_bytes(unsigned size_class) {
  if (size_class < 32) return (size_class + 1) * std::size_t{16};
  const unsigned doubling = 9 + (size_class - 32) / 4;
  return (std::size_t{1} << doubling) + ((size_class & 3) + std::size_t{1}) * (std::size_t{1} << (doubling - 2));
}

/// How many free blocks a thread keeps for itself; it gets them, and gives them back, by the half of that.
constexpr std::uint32_t cached_blocks(unsigned size_class) {
  constexpr std::size_t bytes = std::size_t{1} << 15;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(bytes / size_class_bytes(size_class), 4, 256));
}

static_assert(size_class_of(kLargestSmall) == kSizeClasses - 1);
static_assert(size_class_bytes(kSizeClasses - 1) == kLargestSmall);

}  // namespace cppc::address
