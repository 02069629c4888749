/// A short form of bench/run faults: some cases of each kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "fault_case.hpp"

namespace cppc::test {
namespace {

FaultCase fault(const std::string& name) {
  const auto cases = all_fault_cases();
  const auto found = std::ranges::find(cases, name, &FaultCase::name);
  if (found == cases.end()) throw std::invalid_argument("there is no fault case " + name);
  return *found;
}

class Faults : public testing::TestWithParam<const char*> {};

TEST_P(Faults, TheJobGoesOnOrEndsAsItMust) {
  const FaultCase one = fault(GetParam());
  const FaultResult result = run(one);
  EXPECT_EQ(result.wrong(one), "") << result.said;
}

INSTANTIATE_TEST_SUITE_P(Few, Faults,
                         testing::Values("PMIx_Commit:kill", "PMIx_Lookup:kill", "controller-ship:stop",
                                         "newcomer-start:kill", "newcomer-receive:hang",
                                         "newcomer-restore:kill (evacuation)", "leaver-ship:enomem",
                                         "target-agent-prepare:kill", "source-agent-freeze:kill",
                                         "other-agent-ship:hang", "other-agent-negotiate:enomem",
                                         "other-agent-decided:kill", "controller-decide:delay", "node-ship:off",
                                         "newcomer-join:kill", "stayer-join:hang"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& letter : name)
                             if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace cppc::test
