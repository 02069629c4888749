#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(Timers, GoOnUnderTheirNumbersInAnotherProcess) {
  expect_moved("timers", "left: 1, interval 500\ndeleted: -1 EINVAL\nsilent: 0\nalarm: 1\nvalue 42, overrun 0\n");
}

TEST(Timers, PeriodicTimersContinueInAnotherProcess) { expect_moved("timer_of_source", "took ALRM\n"); }

TEST(Timers, TimersThatStartThreadsAreRefused) { expect_refused("thread_timer", at_capture, "SIGEV_THREAD"); }

}  // namespace
}  // namespace cppc
