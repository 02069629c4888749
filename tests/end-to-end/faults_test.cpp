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
  EXPECT_EQ(result.wrong(one), "") << result.messages;
}

INSTANTIATE_TEST_SUITE_P(
    Few, Faults,
    testing::Values("PMIx_Lookup:kill", "replacement-start:kill", "replacement-restore:kill (shipped deadlines)",
                    "source-ship:enomem", "source-agent-freeze:kill", "other-agent-decided:kill",
                    "controller-decide:delay", "replacement-join:kill", "other-join:kill (recovery)",
                    "substitute-decided:cut (recovery)", "source-agent-decided:cut", "saver-write:kill (checkpoint)",
                    "keeper-begin:stop (checkpoint)", "keeper-copy:kill (checkpoint)",
                    "keeper-difference:enospc (checkpoint) (rs:2+1)", "controller-store:kill (checkpoint)",
                    "keeper-rebuild:kill (lost node) (rs:2+2)"),
    [](const auto& info) {
      std::string name = info.param;
      for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
      return name;
    });

}  // namespace
}  // namespace cppc::test
