#include "assignment.hpp"

#include <gtest/gtest.h>

namespace cppc::migration {
namespace {

TEST(AssignmentTest, SurvivesItsEncoding) {
  const Assignment one{.rank = 3, .ranks = 64, .agent_pid = 12345, .control = 7, .page = 9};
  const auto decoded = Assignment::decode(one.encode());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->rank, 3);
  EXPECT_EQ(decoded->ranks, 64);
  EXPECT_EQ(decoded->agent_pid, 12345);
  EXPECT_EQ(decoded->control, 7);
  EXPECT_EQ(decoded->page, 9);
}

TEST(AssignmentTest, RefusesOtherText) {
  for (const char* text : {"", "1 2 3 4", "a b c d e", "1 2 x 4 5"}) EXPECT_FALSE(Assignment::decode(text)) << text;
}

}  // namespace
}  // namespace cppc::migration
