/// A short form of bench/run faults: each kind of fault once.
#include <gtest/gtest.h>

#include "fault_case.hpp"

namespace cppc::test {
namespace {

using Bound = FaultCase::Bound;
using Request = FaultCase::Request;

class Faults : public testing::TestWithParam<FaultCase> {};

TEST_P(Faults, TheJobGoesOnOrEndsAsItMust) {
  const FaultResult result = run(GetParam());
  EXPECT_FALSE(result.lost(GetParam())) << result.said;
  EXPECT_TRUE(result.right) << result.said;
  EXPECT_FALSE(result.forgot(GetParam())) << result.said;
  EXPECT_EQ(result.left, "");
}

INSTANTIATE_TEST_SUITE_P(Few, Faults,
                         testing::Values(FaultCase{"PMIx_Commit", "kill"}, FaultCase{"PMIx_Lookup", "kill"},
                                         FaultCase{"controller-ship", "stop"}, FaultCase{"newcomer-start", "kill"},
                                         FaultCase{"newcomer-receive", "hang"},
                                         FaultCase{"newcomer-restore", "kill", Request::evacuate},
                                         FaultCase{"leaver-ship", "enomem"}, FaultCase{"target-agent-prepare", "kill"},
                                         FaultCase{"source-agent-freeze", "kill"},
                                         FaultCase{"other-agent-ship", "hang"}, FaultCase{"controller-decide", "delay"},
                                         FaultCase{"node-ship", "off"},
                                         FaultCase{"newcomer-join", "kill", Request::move, Bound::ends},
                                         FaultCase{"stayer-join", "hang", Request::move, Bound::ends}),
                         [](const auto& info) {
                           std::string name = info.param.place + '_' + info.param.action;
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace cppc::test
