// When compression is tried. All times are given, none is taken.
#include "fabric/compression_policy.hpp"

#include <gtest/gtest.h>

namespace cppc::fabric {
namespace {

using Seconds = CompressionPolicy::Seconds;
constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;

/// On a wire of so many MiB a second.
CompressionPolicy on_wire(double rate) {
  CompressionPolicy policy(Compression::automatic);
  policy.delivered(8 * megabyte, Seconds(8 / rate));
  return policy;
}

/// How many of 320 chunks it wants to compress, each to `remainder` of its size, at `rate` MiB a second.
int wanted(CompressionPolicy policy, double rate, double remainder) {
  int count = 0;
  for (int i = 0; i < 320; ++i) {
    if (!policy.wanted()) continue;
    EXPECT_TRUE(policy.compresses());
    ++count;
    policy.compressed(megabyte, static_cast<std::size_t>(remainder * megabyte), Seconds(1 / rate));
  }
  return count;
}

TEST(CompressionPolicy, ItsOwnWishCounts) {
  EXPECT_EQ(wanted(CompressionPolicy(Compression::on), 1, 1), 320);
  EXPECT_EQ(wanted(CompressionPolicy(Compression::off), 1e6, 0.01), 0);
}

TEST(CompressionPolicy, NotBeforeTheWireIsKnown) {
  CompressionPolicy policy(Compression::automatic);
  EXPECT_FALSE(policy.wanted());
  policy.delivered(7 * megabyte, Seconds(1000));
  EXPECT_FALSE(policy.wanted());
  policy.delivered(8 * megabyte, Seconds(1000));
  EXPECT_TRUE(policy.wanted());
}

TEST(CompressionPolicy, PaysOnASlowWire) { EXPECT_EQ(wanted(on_wire(118), 500, 0.5), 320); }
TEST(CompressionPolicy, NotOnAFastWire) { EXPECT_EQ(wanted(on_wire(2000), 500, 0.01), 0); }
TEST(CompressionPolicy, NotWhereNothingGetsSmaller) {
  EXPECT_EQ(wanted(on_wire(118), 500, 1), 4);
}  // every 32, 64, 128

}  // namespace
}  // namespace cppc::fabric
