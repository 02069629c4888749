#include "agent/processors.hpp"

#include <gtest/gtest.h>

namespace cppc::migration {
namespace {

TEST(Processors, NothingIsSaidWhereRanksDoNotOutnumberThem) { EXPECT_EQ(oversubscription(2, 2, "1"), ""); }

TEST(Processors, WhereRanksOutnumberThemAutogroupsMatter) {
  EXPECT_EQ(oversubscription(4, 2, "0"), "4 ranks on 2 processors, autogroups of the scheduler off");
  EXPECT_EQ(oversubscription(4, 2, ""), "4 ranks on 2 processors, autogroups of the scheduler not there");
  EXPECT_NE(oversubscription(4, 2, "1").find("autogroups of the scheduler on: ranks may stand still for minutes"),
            std::string::npos);
}

}  // namespace
}  // namespace cppc::migration
