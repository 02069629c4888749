/// An MPI program with and without an extension, and with some that do not work.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cppc/hooks.h"
#include "process.hpp"

namespace cppc {
namespace {

test::Finished run_with(const std::vector<std::string>& environment, const std::string& argument = "",
                        const std::string& program = WATCHED_PROGRAM) {
  test::Process process({MPIEXEC, "-n", "1", program, argument}, environment);
  return process.wait();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Extension, IsNotNeeded) {
  const auto process = run_with({});
  EXPECT_EQ(process.status, 0);
  EXPECT_EQ(process.output, "rank 0 passed 3\n");
  EXPECT_EQ(process.errors, "");
}

TEST(Extension, IsCalledFromInitToFinalize) {
  const auto process = run_with({"CPPC_EXTENSION=" WATCHING_EXTENSION});
  EXPECT_EQ(process.status, 0);
  EXPECT_EQ(process.output, "rank 0 passed 3\n");
  const std::string expected =
      "start\n"
      "reached 1 at 9\n"
      "reached 2 at 9\n"
      "section 0 runtime\n"
      "section 1 (arguments)\n"
      "section 1 (argument 0)\n"
      "section 1 (argument 1)\n"
      "stopped 2 at 9: capture 0, 4 blocks\n"
      "reached 3 at 9\n";
  EXPECT_TRUE(contains(process.errors, expected)) << process.errors;
  EXPECT_TRUE(contains(process.errors, "finish, capture now: 101\n")) << "only inside `stopped`";
  EXPECT_TRUE(contains(process.errors, "because: capture is not allowed at this time\nin short: capt\n"))
      << process.errors;
  EXPECT_TRUE(contains(process.errors, "rank 0 on ")) << process.errors;
}

void expect_end(const std::vector<std::string>& environment, const std::string& reason) {
  const auto process = run_with(environment);
  EXPECT_NE(process.status, 0);
  EXPECT_EQ(process.output, "") << "a job that could not be migrated does not run";
  EXPECT_TRUE(contains(process.errors, reason)) << process.errors;
}

TEST(Extension, MissingExtensionEndsTheJob) {
  expect_end({"CPPC_EXTENSION=/nowhere/extension.so"},
             "the extension /nowhere/extension.so (CPPC_EXTENSION) cannot be");
}

TEST(Extension, LibraryThatIsNoExtensionEndsTheJob) {
  expect_end({"CPPC_EXTENSION=libm.so.6"}, "has no function cppc_extension()");
}

TEST(Extension, DefectiveExtensionEndsTheJob) {
  const std::string path = "CPPC_EXTENSION=" WATCHING_EXTENSION;
  expect_end({path, "WATCHING=version"},
             "is of version " + std::to_string(CPPC_HOOKS_VERSION + 1) + ", not " + std::to_string(CPPC_HOOKS_VERSION));
  expect_end({path, "WATCHING=hooks"}, "does not provide every hook");
  expect_end({path, "WATCHING=entry"}, "refuses to work: ranks, types or programs do not agree");
  expect_end({path, "WATCHING=start"}, "cannot start: refused");
}

TEST(Extension, TellsThatTheProcessIsAReplacement) {
  const auto process = run_with({"CPPC_EXTENSION=" WATCHING_EXTENSION, "WATCHING=replacement"});
  EXPECT_NE(process.status, 0);
  EXPECT_EQ(process.output, "");
  EXPECT_TRUE(contains(process.errors, "start\nfetch\n")) << "MPI is there before the program comes to MPI_Init()";
  EXPECT_TRUE(contains(process.errors, "the state of the rank did not arrive")) << process.errors;
  EXPECT_TRUE(contains(process.errors, "fail 101\n")) << process.errors;
}

TEST(Extension, IsToldWhereAProgramCanBeStopped) {
  const std::vector<std::string> environment{"CPPC_EXTENSION=" WATCHING_EXTENSION, "WATCHING=calls"};
  const auto stops = [](int where) { return "stops: " + std::to_string(where) + "\n"; };
  EXPECT_TRUE(contains(run_with(environment).errors, stops(CPPC_AT_MARKS)));
  EXPECT_TRUE(contains(run_with(environment, "", MARKED_ELSEWHERE).errors, stops(CPPC_AT_MARKS))) << "in a library";
  EXPECT_TRUE(contains(run_with(environment, "", UNMARKED).errors, stops(CPPC_NOWHERE)));
}

TEST(Extension, CannotReplaceAProgramThatDoesNotStartAsItShould) {
  EXPECT_EQ(run_with({}, "unstarted").status, 0);
  EXPECT_EQ(run_with({"CPPC_EXTENSION=" WATCHING_EXTENSION}, "unstarted").status, 0);
  const auto process = run_with({"CPPC_EXTENSION=" WATCHING_EXTENSION, "WATCHING=replacement"}, "unstarted");
  EXPECT_NE(process.status, 0);
  EXPECT_EQ(process.output, "");
  EXPECT_TRUE(contains(process.errors, "calls cppc_enter() before MPI_Init() and no cppc_start()")) << process.errors;
}

}  // namespace
}  // namespace cppc
