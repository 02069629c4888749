#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(CLibrary, RemembersInAnotherProcess) {
  expect_moved(
      "c_library",
      "1\nstrtok: two\ntime: 2, Fri Jan  2\nNo such file or directory, Permission denied, Interrupt\nsame place: 1\n"
      "hsearch: 1\ngetopt: 3, -1\nlocale: C.UTF-8\nsigngam: -1, errno: 1\n");
}

TEST(CLibrary, BetweenOptionsIsRefused) { expect_refused("between_options", at_capture, "between calls of getopt()"); }

TEST(CLibrary, HasTheProgramsOwnLocalesInAnotherProcess) {
  expect_moved("own_locale", "2\n2, UTF-8, Monday\n2, 1, UTF-8\n");
}

}  // namespace
}  // namespace cppc
