#include "fabric/zero.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cppc::fabric {
namespace {

constexpr std::size_t block = zero_block_bytes;

TEST(IsZero, LooksAtEveryByte) {
  EXPECT_TRUE(is_zero({}));
  for (const std::size_t size : {1, 2, 3, 63, 64, 65, 4096}) {
    std::vector<std::byte> bytes(size);
    EXPECT_TRUE(is_zero(bytes)) << size;
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = std::byte{1};
      EXPECT_FALSE(is_zero(bytes)) << i << " of " << size;
      bytes[i] = std::byte{0};
    }
  }
}

TEST(IsZero, KeepsTheSignOfZero) {
  const double negative_zero = -0.0;
  EXPECT_FALSE(is_zero(std::as_bytes(std::span(&negative_zero, 1))));
}

TEST(ZeroPrefix, IsWholeBlocks) {
  std::vector<std::byte> bytes(3 * block + 100);
  EXPECT_EQ(zero_prefix(bytes), bytes.size());
  EXPECT_EQ(nonzero_prefix(bytes), 0U);
  bytes[2 * block + 17] = std::byte{1};
  EXPECT_EQ(zero_prefix(bytes), 2 * block);
  bytes[0] = bytes[2 * block - 1] = std::byte{1};
  EXPECT_EQ(zero_prefix(bytes), 0U);
  EXPECT_EQ(nonzero_prefix(bytes), 3 * block);  // the rest is zero
  bytes.back() = std::byte{1};
  EXPECT_EQ(nonzero_prefix(bytes), bytes.size());
  EXPECT_EQ(zero_prefix({}), 0U);
  EXPECT_EQ(nonzero_prefix({}), 0U);
}

}  // namespace
}  // namespace cppc::fabric
