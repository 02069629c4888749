/// Programs whose state is kept by address go on in a new process at each of their safe points.
#include <gtest/gtest.h>

#include <string>

#include "job.hpp"
#include "measure.hpp"

namespace cppc::test {
namespace {

const std::string kPassed = " safe points passed";

std::string program(const std::string& name) { return std::string(PROGRAMS) + "/address_" + name; }

int points_in(const std::string& errors) {
  const auto end = errors.rfind(kPassed);
  return end == std::string::npos ? 0 : std::stoi(errors.substr(errors.rfind(' ', end - 1)));
}

class MovedProgramsTest : public testing::TestWithParam<std::string> {};

TEST_P(MovedProgramsTest, GoOnAtEachSafePoint) {
  const std::vector<std::string> command{program(GetParam())};
  const Finished plain = run_alone(command, {});
  ASSERT_EQ(plain.status, 0) << plain.output << plain.errors;
  const std::string extension = with_extension("restart_extension");
  const int points = points_in(run_alone(command, {extension, "CPPC_RESTART_AT="}).errors);
  ASSERT_GT(points, 10);
  for (int point = 1; point <= points; ++point) {
    const Finished moved = run_alone(command, {extension, "CPPC_RESTART_AT=" + std::to_string(point)});
    EXPECT_EQ(moved.status, 0) << moved.errors;
    EXPECT_EQ(moved.output, plain.output) << "moved at " << point;
  }
}

TEST_P(MovedProgramsTest, GoOnAgainAndAgain) {
  const std::vector<std::string> command{program(GetParam())};
  const Finished plain = run_alone(command, {});
  const Finished moved = run_alone(command, {with_extension("restart_extension"), "CPPC_RESTART_AT=1,2,3,5,8,9,10"});
  EXPECT_EQ(moved.status, 0) << moved.errors;
  EXPECT_EQ(moved.output, plain.output);
}

INSTANTIATE_TEST_SUITE_P(Programs, MovedProgramsTest, testing::Values("objects", "memory", "library"),
                         [](const auto& one) { return one.param; });

TEST(MemoryTest, UntouchedMemoryIsNotInTheImage) {
  const auto measured = measure({program("untouched")}, 1);
  EXPECT_GT(measured.at("saved"), 2 << 20);
  EXPECT_LT(measured.at("saved"), 20 << 20);
  EXPECT_LT(measured.at("reachable"), 20 << 20);
}

TEST(RefusedProgramsTest, AreToldWhichVariableLeadsWhere) {
  const std::vector<std::string> settings{with_extension("restart_extension"), "CPPC_RESTART_AT=1"};
  const Finished variable = run_alone({program("refused"), "variable"}, settings);
  EXPECT_EQ(variable.status, 125);
  EXPECT_NE(variable.errors.find("the variable of_the_system+0 holds the address 0x7"), std::string::npos);
  EXPECT_NE(variable.errors.find(" in the stack that the system gave"), std::string::npos) << variable.errors;
  const Finished heap = run_alone({program("refused"), "heap"}, settings);
  EXPECT_EQ(heap.status, 125);
  EXPECT_NE(heap.errors.find(", 24 bytes from its start, holds the address 0x7"), std::string::npos);
  EXPECT_NE(heap.errors.find(" in the stack that the system gave"), std::string::npos) << heap.errors;
}

TEST(RefusedProgramsTest, AreThoseInWhichMemoryThatAConstructorHadHasChanged) {
  const Finished changed =
      run_alone({program("library"), "changed"}, {with_extension("restart_extension"), "CPPC_RESTART_AT=1"});
  EXPECT_EQ(changed.status, 125);
  EXPECT_NE(changed.errors.find("a variable of libaddress_started.so at"), std::string::npos) << changed.errors;
}

}  // namespace
}  // namespace cppc::test
