#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(Keys, HaveTheirNumbersValuesAndDestructorsInAnotherProcess) {
  expect_moved("keys", "first: 1\nsecond: the main thread's\nanother one: 1\ndestroyed: a thread's\n");
}

TEST(Keys, ThatAreTakenAreRefusedByName) {
  expect_refused("taken_key", at_restore, "for thread-specific data (pthread_key_create()) is another's");
}

}  // namespace
}  // namespace cppc
