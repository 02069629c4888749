/// What is left on standard input goes along, if that is all.
#include "process_case.hpp"

namespace cppc::test {
namespace {

class StandardInput : public ProcessCase {};

TEST_F(StandardInput, IsReadOnByStream) { expect_same_anywhere("input"); }

TEST_F(StandardInput, IsReadOnByDescriptor) { expect_same_anywhere("raw_input"); }

TEST_F(StandardInput, UnusedInputIsCarried) { expect_same_anywhere("unused_input"); }

TEST_F(StandardInput, PartlyReadInputIsRefused) {
  const std::string reason = "of which the program has read, has not come to its end";
  expect_refused("open_input", reason);
  expect_refused("open_raw_input", reason);
}

TEST_F(StandardInput, UnusedOpenInputIsAccepted) { expect_same_anywhere("unused_open_input"); }

}  // namespace
}  // namespace cppc::test
