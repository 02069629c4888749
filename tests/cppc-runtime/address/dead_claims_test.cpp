/// What the program says to be dead at a safe point, when its state is kept by address.
#include "address/dead_claims.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace cppc::address {
namespace {

class DeadClaimsTest : public testing::Test {
 protected:
  void add(std::size_t from, std::size_t to) {
    claims_.add_range(std::span(memory_).subspan(from, to - from), {}, std::nullopt);
  }
  /// First bytes of dead ranges, and those behind them.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> dead() const {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (const auto part : claims_.settle({})) {
      const auto from = static_cast<std::size_t>(part.data() - memory_.data());
      ranges.emplace_back(from, from + part.size());
    }
    return ranges;
  }

  std::array<std::byte, 4096> memory_{};
  DeadClaims claims_;
};

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(PartsBetween, AreWhatTheOthersLeave) {
  const std::vector<cppc_part> parts{{0, 8}, {16, 8}, {24, 4}};
  const auto left = parts_between(parts, 40);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].offset, 8U);
  EXPECT_EQ(left[0].bytes, 8U);
  EXPECT_EQ(left[1].offset, 28U);
  EXPECT_EQ(left[1].bytes, 12U);
  EXPECT_EQ(parts_between({}, 40).size(), 1U);
  EXPECT_TRUE(parts_between(parts, 28).size() == 1 && parts_between({}, 0).empty());
}

TEST_F(DeadClaimsTest, RangesThatOverlapAreOne) {
  add(1000, 2000);
  add(0, 512);
  add(1500, 2500);
  add(512, 600);
  EXPECT_EQ(dead(), (Ranges{{0, 600}, {1000, 2500}}));
}

TEST_F(DeadClaimsTest, OfSeveralWaysWhatAllHaveIsDead) {
  claims_.begin_way();
  add(0, 1000);
  add(2000, 3000);
  claims_.begin_way();
  add(2500, 4000);
  add(500, 2200);
  claims_.begin_way();
  add(0, 4096);
  claims_.end_ways();
  EXPECT_EQ(dead(), (Ranges{{500, 1000}, {2000, 2200}, {2500, 3000}}));
}

TEST_F(DeadClaimsTest, NothingIsDeadOnAWayThatHasNothing) {
  claims_.begin_way();
  add(0, 1000);
  claims_.begin_way();
  claims_.end_ways();
  EXPECT_EQ(dead(), Ranges());
}

TEST_F(DeadClaimsTest, WaysDoNotConcernOtherClaims) {
  add(0, 600);
  claims_.begin_way();
  add(1000, 2000);
  claims_.end_ways();
  claims_.begin_way();
  add(3000, 3600);
  claims_.begin_way();
  add(2000, 3200);
  claims_.end_ways();
  add(3500, 4000);
  EXPECT_EQ(dead(), (Ranges{{0, 600}, {1000, 2000}, {3000, 3200}, {3500, 4000}}));
}

TEST_F(DeadClaimsTest, WaysThatDidNotEndAreForgotten) {
  claims_.begin_way();
  add(0, 1000);
  claims_.clear();
  add(2000, 3000);
  EXPECT_EQ(dead(), (Ranges{{2000, 3000}}));
}

TEST_F(DeadClaimsTest, SmallPartsAreCarried) {
  add(0, 100);
  add(1000, 1000 + kLeastDeadPart);
  const auto settled = claims_.settle({});
  const std::vector<cppc_part> parts = dead_parts(memory_, settled);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].offset, 1000U);
  EXPECT_EQ(parts[0].bytes, kLeastDeadPart);
}

}  // namespace
}  // namespace cppc::address
