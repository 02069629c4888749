#include "cppc/allowance.hpp"

#include <gtest/gtest.h>

namespace {

using cppc::negotiation::Allowance;
using namespace std::chrono_literals;

constexpr Allowance::Clock::time_point kStart{};

TEST(Allowance, IsSpentWhenItsTimeHasPassed) {
  Allowance allowance(2s, kStart);
  EXPECT_FALSE(allowance.spent({}, kStart + 999ms));
  EXPECT_FALSE(allowance.spent({}, kStart + 1999ms));
  EXPECT_TRUE(allowance.spent({}, kStart + 2s));
  EXPECT_FALSE(allowance.spent(500ms, kStart + 2s));
  EXPECT_TRUE(allowance.spent(500ms, kStart + 2500ms));
}

TEST(Allowance, OfNothingIsSpentAtOnce) {
  Allowance allowance(0s, kStart);
  EXPECT_TRUE(allowance.spent({}, kStart));
}

TEST(Allowance, IsNotSpentByAPause) {
  Allowance allowance(60s, kStart);
  EXPECT_FALSE(allowance.spent({}, kStart + 1h));
  EXPECT_FALSE(allowance.spent({}, kStart + 2h));
  for (int second = 1; second < 58; ++second) EXPECT_FALSE(allowance.spent({}, kStart + 2h + second * 1s));
  EXPECT_TRUE(allowance.spent({}, kStart + 2h + 58s));
}

}  // namespace
