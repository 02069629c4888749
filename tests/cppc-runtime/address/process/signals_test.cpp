#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(Signals, HaveTheirHandlersMaskAndStackInAnotherProcess) {
  expect_moved("signals",
               "PIPE ignored: 1\nhandler of USR1 by itself, on the alternate stack: 1, TERM blocked: 1\nUSR2 waits: 1\n"
               "RTMAX blocked: 1\nhandler of USR2\n");
}

TEST(Signals, SignalToTheSourceDoesNotRunTheProgramsHandlerThere) { expect_moved("signal_to_source", "goes on\n"); }

TEST(Signals, ThatTheProcessHandlesItTakesAllTheTime) {
  expect_moved("handler_of_process", "handler of CONT\nnot the program's\n");
}

TEST(Signals, HandlerThatIsNotCarriedIsRefused) {
  expect_refused("foreign_handler", at_capture, "the handler of signal 10 (SIGUSR1) is a function of ");
}

TEST(Signals, OnAStackThatIsNotCarriedAreRefused) {
  expect_refused("foreign_stack", at_capture, "the alternate signal stack at ");
}

}  // namespace
}  // namespace cppc
