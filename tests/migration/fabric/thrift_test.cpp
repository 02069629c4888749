// When compression is tried. All times are given, none is taken.
#include "fabric/thrift.hpp"

#include <gtest/gtest.h>

namespace cppc::fabric {
namespace {

using Seconds = Thrift::Seconds;
constexpr std::uint64_t megabyte = std::uint64_t{1} << 20;

/// On a wire of so many MiB a second.
Thrift on_wire(double rate) {
  Thrift thrift(Compression::automatic);
  thrift.delivered(8 * megabyte, Seconds(8 / rate));
  return thrift;
}

/// How many of 320 chunks it wants to compress, each to `remainder` of its size, at `rate` MiB a second.
int wanted(Thrift thrift, double rate, double remainder) {
  int count = 0;
  for (int i = 0; i < 320; ++i) {
    if (!thrift.wanted()) continue;
    EXPECT_TRUE(thrift.compresses());
    ++count;
    thrift.squeezed(megabyte, static_cast<std::size_t>(remainder * megabyte), Seconds(1 / rate));
  }
  return count;
}

TEST(Thrift, ItsOwnWishCounts) {
  EXPECT_EQ(wanted(Thrift(Compression::on), 1, 1), 320);
  EXPECT_EQ(wanted(Thrift(Compression::off), 1e6, 0.01), 0);
}

TEST(Thrift, NotBeforeTheWireIsKnown) {
  Thrift thrift(Compression::automatic);
  EXPECT_FALSE(thrift.wanted());
  thrift.delivered(7 * megabyte, Seconds(1000));
  EXPECT_FALSE(thrift.wanted());
  thrift.delivered(8 * megabyte, Seconds(1000));
  EXPECT_TRUE(thrift.wanted());
}

TEST(Thrift, PaysOnASlowWire) { EXPECT_EQ(wanted(on_wire(118), 500, 0.5), 320); }
TEST(Thrift, NotOnAFastWire) { EXPECT_EQ(wanted(on_wire(2000), 500, 0.01), 0); }
TEST(Thrift, NotWhereNothingGetsSmaller) { EXPECT_EQ(wanted(on_wire(118), 500, 1), 4); }  // every 32, 64, 128

}  // namespace
}  // namespace cppc::fabric
