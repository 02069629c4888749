/// Streams of a program go on in another process; what was not yet written is written once.
#include "process_case.hpp"

namespace cppc::test {
namespace {

class Streams : public ProcessCase, public testing::WithParamInterface<const char*> {};

TEST_P(Streams, GoOnInAnotherProcess) { expect_same_anywhere(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Programs, Streams,
                         testing::Values("written", "read", "pushed_back", "own_buffer", "appended", "wide",
                                         "wide_unwritten", "output", "output_of_mpi", "output_own_buffer",
                                         "unbuffered_output", "line_buffered_output", "variable", "reopened",
                                         "closed_output", "memory", "held", "many"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace cppc::test
