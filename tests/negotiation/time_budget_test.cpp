#include "cppc/time_budget.hpp"

#include <gtest/gtest.h>

namespace {

using cppc::negotiation::TimeBudget;
using namespace std::chrono_literals;

constexpr TimeBudget::Clock::time_point kStart{};

TEST(TimeBudget, IsSpentWhenItsTimeHasPassed) {
  TimeBudget budget(2s, kStart);
  EXPECT_FALSE(budget.spent({}, kStart + 999ms));
  EXPECT_FALSE(budget.spent({}, kStart + 1999ms));
  EXPECT_TRUE(budget.spent({}, kStart + 2s));
  EXPECT_FALSE(budget.spent(500ms, kStart + 2s));
  EXPECT_TRUE(budget.spent(500ms, kStart + 2500ms));
}

TEST(TimeBudget, EmptyBudgetIsSpentAtOnce) {
  TimeBudget budget(0s, kStart);
  EXPECT_TRUE(budget.spent({}, kStart));
}

TEST(TimeBudget, PauseDoesNotSpendTheBudget) {
  TimeBudget budget(60s, kStart);
  EXPECT_FALSE(budget.spent({}, kStart + 1h));
  EXPECT_FALSE(budget.spent({}, kStart + 2h));
  for (int second = 1; second < 58; ++second) EXPECT_FALSE(budget.spent({}, kStart + 2h + second * 1s));
  EXPECT_TRUE(budget.spent({}, kStart + 2h + 58s));
}

}  // namespace
