#include <sys/resource.h>
#include <unistd.h>

#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(Limits, LimitsSetByTheProgramAreSetInAnotherProcess) {
  const std::string priority = "priority " + std::to_string(getpriority(PRIO_PROCESS, 0) + 2) + "\n";
  expect_moved("limits", priority + priority + "files 64 of 128\nmask 27 in /usr\n");
}

TEST(Limits, LimitsAboveTheHardLimitAreRefusedByName) {
  expect_refused("lower_limit", at_restore, "RLIMIT_NOFILE to 64, and this process is allowed 32 only");
}

TEST(Limits, ADirectoryThatIsNotThereIsRefusedByName) {
  expect_refused("lost_directory", at_restore, "working directory /tmp/cppc-limits-");
}

TEST(Attributes, ForbiddenProcessAttributesAreRefusedByName) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may set the I/O priority that a user may not have";
  expect_refused("forbidden_attribute", at_restore, "has changed the I/O priority, which is not allowed here");
}

}  // namespace
}  // namespace cppc
