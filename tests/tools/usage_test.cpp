/// What the tools say that are of no use by themselves, to whoever calls them all the same.
#include <gtest/gtest.h>

#include "process.hpp"

namespace cppc::tools {
namespace {

using test::Finished;

TEST(Usage, EveryToolSaysItsVersion) {
  for (const auto& [program, name] : {std::pair{CPPC_AGENT_PROGRAM, "cppc-agent"},
                                      {CPPC_KEEPER_PROGRAM, "cppc-keeper"},
                                      {CPPC_LAUNCH_PROGRAM, "cppc-launch"},
                                      {CPPC_MPIF_PROGRAM, "cppc-mpif"}}) {
    const Finished finished = test::run({program, "--version"});
    EXPECT_EQ(finished.status, 0);
    EXPECT_EQ(finished.output, std::string(name) + " " CPPC_VERSION "\n");
  }
}

TEST(Usage, WrongOptionsAreStatus2) {
  for (const char* program : {CPPC_AGENT_PROGRAM, CPPC_KEEPER_PROGRAM, CPPC_MPIF_PROGRAM}) {
    const Finished finished = test::run({program, "--frobnicate"});
    EXPECT_EQ(finished.status, 2) << program;
    EXPECT_NE(finished.errors, "") << program;
  }
  EXPECT_EQ(test::run({CPPC_AGENT_PROGRAM}).status, 2) << "without the name of a node";
}

TEST(Usage, AKeeperThatIsToldNothingSaysWhatItIsFor) {
  const Finished finished = test::run({"sh", "-c", CPPC_KEEPER_PROGRAM " </dev/null"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_EQ(finished.errors.find("cppc-keeper: standard input does not say of which job it is to keep images"), 0u)
      << finished.errors;
}

}  // namespace
}  // namespace cppc::tools
