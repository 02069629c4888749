/// Programs that compute without a call of MPI go on in a new process from where a signal finds them, and only from
/// where they can.
#include <gtest/gtest.h>

#include <string>

#include "job.hpp"

namespace cppc::test {
namespace {

const std::string kProgram = std::string(PROGRAMS) + "/address_computing";

int restarts_in(const std::string& errors) {
  int count = 0;
  for (auto at = errors.find("between calls: "); at != std::string::npos; at = errors.find("between calls: ", at + 1))
    ++count;
  return count;
}

class InterruptionTest : public testing::TestWithParam<std::string> {};

TEST_P(InterruptionTest, GoesOnFromWhereTheProgramIs) {
  const Finished plain = run_alone({kProgram, GetParam()}, {});
  ASSERT_EQ(plain.status, 0) << plain.output << plain.errors;
  const Finished moved =
      run_alone({kProgram, GetParam()}, {with_extension("restart_extension"), "CPPC_RESTART_AFTER=3,7,1,12,5,2"});
  EXPECT_EQ(moved.status, 0) << moved.errors;
  EXPECT_EQ(moved.output, plain.output);
  EXPECT_GE(restarts_in(moved.errors), 3) << moved.errors;
}

INSTANTIATE_TEST_SUITE_P(Programs, InterruptionTest,
                         testing::Values("compute", "sort", "mathematics", "handler", "mpi", "thread", "parallel",
                                         "waiting"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace cppc::test
