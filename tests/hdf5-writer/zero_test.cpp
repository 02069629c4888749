#include "zero.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace cppc::image {
namespace {

using Runs = std::vector<Run>;
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

TEST(NonzeroRuns, NothingHasNone) { EXPECT_EQ(nonzero_runs({}, 8), Runs{}); }

TEST(NonzeroRuns, SmallOnesAreKeptWhole) {
  const std::vector<std::byte> zeros(block - 8);
  EXPECT_EQ(nonzero_runs(zeros, 8), (Runs{{0, zeros.size() / 8}}));
}

TEST(NonzeroRuns, AllZeroIsLeftOut) { EXPECT_EQ(nonzero_runs(std::vector<std::byte>(3 * block), 8), Runs{}); }

TEST(NonzeroRuns, NeighboursAreJoined) {
  std::vector<std::byte> bytes(6 * block);
  bytes[block] = bytes[2 * block + 17] = bytes[5 * block - 1] = std::byte{1};
  EXPECT_EQ(nonzero_runs(bytes, 1), (Runs{{block, 2 * block}, {4 * block, block}}));
}

TEST(NonzeroRuns, LastBlockMayBeShort) {
  std::vector<std::byte> bytes(2 * block + 8);
  bytes.back() = std::byte{1};
  EXPECT_EQ(nonzero_runs(bytes, 8), (Runs{{2 * block / 8, 1}}));
}

TEST(NonzeroRuns, ElementsAreNotCut) {
  std::vector<std::byte> bytes(24 * 1000);
  bytes[0] = std::byte{1};
  EXPECT_EQ(nonzero_runs(bytes, 24), (Runs{{0, block / 24}}));
  std::vector<std::byte> large(3 * 10000);
  large[10000] = std::byte{1};
  EXPECT_EQ(nonzero_runs(large, 10000), (Runs{{1, 1}}));
}

}  // namespace
}  // namespace cppc::image
