/// Memory that a program has mapped is at its place in another process.
#include "process_case.hpp"

namespace cppc::test {
namespace {

class Mappings : public ProcessCase, public testing::WithParamInterface<const char*> {};

TEST_P(Mappings, AreTheSameInAnotherProcess) { expect_same_anywhere(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Programs, Mappings,
                         testing::Values("anonymous", "grown", "probed", "shared_memory", "private_file",
                                         "shared_file"),
                         [](const auto& info) { return std::string(info.param); });

class RefusedMappings : public ProcessCase {};

TEST_F(RefusedMappings, AtPlacesOfTheProgramsChoice) {
  expect_refused("elsewhere", "memory at 0x500000000000 is of huge pages or at a place of the program's choice");
}

TEST_F(RefusedMappings, MappingOfADeletedFileIsRefused) {
  expect_refused("shared_deleted", "/file (deleted)) is shared memory of a deleted");
}

}  // namespace
}  // namespace cppc::test
