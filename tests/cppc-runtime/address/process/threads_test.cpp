#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(Threads, RunningThreadsOfTheProgramAreRefused) {
  expect_refused("running_thread", at_capture, "the program has started 1 threads that still run");
}

TEST(Threads, ThreadsOfTheProcessAreIgnored) { expect_moved("foreign_thread", "goes on\n"); }

TEST(Threads, ThreadsOfTheProcessTakeNoSignalsOfTheProgram) {
  expect_moved("blocking_thread", "blocks USR1 1, SEGV 0, CONT 0\ncreator blocks USR1 0\n");
}

TEST(Threads, EndedThreadsAreIgnored) { expect_moved("ended_thread", "the program's: 1\ngoes on\n"); }

TEST(Threads, OpenMpThreadsEndAndAreStartedAgain) {
  const test::Finished finished = run_moved("openmp");
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output.substr(0, finished.output.rfind("\n", finished.output.size() - 2) + 1),
            "3 in a region, 3 remain\n1 after, 3 wanted, schedule 1 7, 3 in a region\n");
}

}  // namespace
}  // namespace cppc
