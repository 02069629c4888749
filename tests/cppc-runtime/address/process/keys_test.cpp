#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

constexpr const char* kSaid = "first: 1\nsecond: the main thread's\nanother one: 1\ndestroyed: a thread's\n";

TEST(Keys, HaveTheirNumbersValuesAndDestructorsInAnotherProcess) { expect_moved("keys", kSaid); }

TEST(Keys, AreFreeAlthoughOthersMakeKeysInTheOtherProcess) { expect_moved("other_keys", kSaid); }

TEST(Keys, TooManyKeysAreRefusedByName) {
  expect_refused("too_many_keys", at_restore, "for thread-specific data (pthread_key_create()) is another's");
}

}  // namespace
}  // namespace cppc
