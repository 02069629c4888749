#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(ExitHandlers, RunInReverseOrderInTheLastProcessAlone) {
  expect_moved(
      "exits",
      "thread-local object\nlast registered\nregisters another\nregistered at exit\nwith status 5\nstatic object\n"
      "first registered\n",
      5);
}

TEST(ExitHandlers, AtQuickExitRunInTheLastProcessAlone) {
  expect_moved("exits_quickly", "second at quick exit\nfirst at quick exit\n", 6);
}

TEST(ExitHandlers, RemainingHandlersRunWhenOneCallsExit) { expect_moved("exits_twice", "remains\n", 8); }

TEST(ExitHandlers, LibrarysHandlersRunWhenItIsUnloaded) {
  expect_moved("unloads", "of a library\nunloaded\nof another\n");
}

TEST(ExitHandlers, TheListOfTheCLibraryGrowsOutsideOfTheProgram) {
  expect_moved("full_list", "not in the program's memory\nof the program\n");
}

TEST(ExitHandlers, ProcesssHandlersStayWithTheProcess) { expect_moved("foreign", "of the process\n"); }

}  // namespace
}  // namespace cppc
