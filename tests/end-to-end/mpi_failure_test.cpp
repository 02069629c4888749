/// Calls of MPI that fail in an agent, by tests/support/mpi_fault.c: a failure is never taken for consent.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <span>
#include <thread>

#include "scene.hpp"

namespace cppc::test {
namespace {

const std::vector<std::string> kPlacement{"-H", "node0:2,node1:2,node2:4", "-n", "4"};

struct Failure {
  std::string function;
  int nth = 1;
};

void PrintTo(const Failure& one, std::ostream* out) { *out << one.function << ' ' << one.nth; }

/// cppc-run whose agents have calls that fail.
class FailingTools {
 public:
  FailingTools() {
    namespace fs = std::filesystem;
    const fs::path real = fs::path(tool("cppc-run")).parent_path();
    fs::create_directory(folder_.file("bin"));
    fs::create_directory_symlink(real.parent_path() / "lib", folder_.file("lib"));
    fs::copy_file(real / "cppc-run", cppc_run());
    fs::create_symlink(real / "cppc-launch", folder_.file("bin/cppc-launch"));
    fs::create_symlink(real / "cppc-keeper", folder_.file("bin/cppc-keeper"));
    const fs::path agent = folder_.file("bin/cppc-agent");
    std::ofstream(agent) << "#!/bin/sh\n"
                         << "[ \"$1\" = start ] || export MPI_FAULT=" << fault()
                         << " LD_PRELOAD=" << library("mpi_fault") << "\nexec " << tool("cppc-agent") << " \"$@\"\n";
    fs::permissions(agent, fs::perms::owner_all);
  }
  [[nodiscard]] std::string cppc_run() const { return folder_.file("bin/cppc-run"); }
  void arm(const Failure& failure) const {
    std::ofstream(folder_.file("armed")) << failure.function << ' ' << failure.nth << '\n';
    std::filesystem::rename(folder_.file("armed"), fault());
  }
  [[nodiscard]] bool armed() const { return std::filesystem::exists(fault()); }
  void disarm() const { std::filesystem::remove(fault()); }

 private:
  [[nodiscard]] std::string fault() const { return folder_.file("fault"); }
  Folder folder_;
};

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

Finished migrate(HeatScene& scene) {
  const std::string target = scene.job().node_of(1) == "node2" ? "node0" : "node2";
  return scene.job().migrate({"--rank", "1", "--to", target});
}

/// Before the decision.
const std::vector<Failure> kUndone{{"PMPI_Isend"},     {"PMPI_Comm_spawn_multiple"},
                                   {"PMPI_Isend", 4},  // along the tree
                                   {"PMPI_Test"},      {"PMPI_Test", 40},
                                   {"PMPI_Irecv"},     {"PMPI_Iprobe"},
                                   {"PMPI_Get_count"}, {"PMPI_Info_create"},
                                   {"PMPI_Info_set"}};

/// Each takes half a minute: the first two, unless CPPC_EVERY_FAILURE is set. All fail in
/// tests/migration/agent_comm_failure_test.cpp.
std::span<const Failure> undone() {
  return std::span(kUndone).first(std::getenv("CPPC_EVERY_FAILURE") != nullptr ? kUndone.size() : 2);
}

/// Nobody depends on these.
const std::vector<Failure> kHarmless{{"PMPI_Group_free"}, {"PMPI_Info_free"}};

/// After the decision.
const std::vector<Failure> kFatal{{"PMPI_Intercomm_merge"},
                                  {"PMPI_Intercomm_create"},
                                  {"PMPI_Comm_split"},
                                  {"PMPI_Comm_free"},
                                  {"PMPI_Comm_set_errhandler"}};

/// After the decision, when an agent has been lost before.
const std::vector<Failure> kWithALostAgent{
    {"PMPI_Comm_size"}, {"PMPI_Comm_group"}, {"PMPI_Group_incl"}, {"PMPI_Comm_create_group"}};

/// Before the application begins. Of MPI_Init, MPI cannot say more.
const std::vector<Failure> kAtTheStart{{"PMPI_Init"},       {"PMPI_Comm_set_errhandler"},
                                       {"PMPI_Comm_size"},  {"PMPI_Comm_rank"},
                                       {"PMPI_Allreduce"},  {"PMPI_Comm_split_type"},
                                       {"PMPI_Allgather"},  {"PMPI_Comm_dup"},
                                       {"PMPI_Comm_split"}, {"PMPI_Barrier"}};

const std::vector<Failure> kAtTheEnd{{"PMPI_Comm_free"}, {"PMPI_Finalize"}};

TEST(MpiFailureTest, BeforeTheDecisionTheMigrationIsUndoneAndTheNextOneWorks) {
  const FailingTools tools;
  HeatScene scene(3, kPlacement, {"--mb", "2"}, {}, tools.cppc_run());
  for (const Failure& failure : undone()) {
    SCOPED_TRACE(failure.function);
    const std::string before = scene.job().node_of(1);
    tools.arm(failure);
    const Finished failed = migrate(scene);
    EXPECT_FALSE(tools.armed());
    EXPECT_NE(failed.status, 0) << failed.output << failed.errors;
    EXPECT_EQ(scene.job().node_of(1), before);
    tools.disarm();
    const Finished done = migrate(scene);
    EXPECT_EQ(done.status, 0) << done.output << done.errors;
    EXPECT_NE(scene.job().node_of(1), before);
  }
  const Answer answer = scene.finish();
  EXPECT_EQ(answer.status, 0) << answer.errors;
  EXPECT_EQ(times(answer.errors, "MPI_ERR_OTHER"), undone().size()) << answer.errors;
  EXPECT_FALSE(answer.checksum.empty());
  EXPECT_EQ(answer.checksum, scene.undisturbed(answer).checksum);
}

/// node2's agent is lost in the first migration.
const std::vector<std::string> kOneNode{"-H", "node0:4,node1:4,node2:4", "-n", "4"};
const std::vector<std::string> kLoseAnAgent{"CPPC_FAULT=other-agent-prepare:kill"};

Finished migrate_to(HeatScene& scene, const std::string& node) {
  return scene.job().migrate({"--rank", "1", "--to", node});
}

TEST(MpiFailureTest, WhatNobodyDependsOnMayFail) {
  const FailingTools tools;
  HeatScene scene(3, kOneNode, {"--mb", "2"}, kLoseAnAgent, tools.cppc_run());
  EXPECT_NE(migrate_to(scene, "node1").status, 0);
  for (const Failure& failure : kHarmless) {
    SCOPED_TRACE(failure.function);
    tools.arm(failure);
    const Finished done = migrate_to(scene, scene.job().node_of(1) == "node0" ? "node1" : "node0");
    EXPECT_EQ(done.status, 0) << done.output << done.errors;
    EXPECT_FALSE(tools.armed());
  }
  EXPECT_EQ(scene.finish().status, 0);
}

/// The messages of a cut at any call.
TEST(MpiFailureTest, AgreementsOnACutAreUndoneToo) {
  const FailingTools tools;
  const Folder folder;
  const Cluster cluster(3);
  Job job(cluster, kPlacement, {app("alone"), "--steps", "1000000000", "--until", folder.file("end")}, {},
          tools.cppc_run());
  job.await_running();
  tools.arm({"PMPI_Isend", 20});  // before the agents agree, none sends more than three
  EXPECT_NE(job.migrate({"--rank", "1", "--to", "node2"}).status, 0);
  EXPECT_FALSE(tools.armed());
  EXPECT_EQ(job.node_of(1), "node0");
  const Finished done = job.migrate({"--rank", "1", "--to", "node2"});
  EXPECT_EQ(done.status, 0) << done.errors;
  std::ofstream(folder.file("end")).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
}

void expect_ended_by_it(const FailingTools& tools, HeatScene& scene) {
  EXPECT_FALSE(tools.armed());
  const Answer answer = scene.finish();
  EXPECT_NE(answer.status, 0);
  EXPECT_EQ(times(answer.errors, "MPI_ERR_OTHER"), 1U) << answer.errors;
}

class MpiFailsAfterTheDecision : public testing::TestWithParam<Failure> {};

TEST_P(MpiFailsAfterTheDecision, TheJobEndsWithAMessage) {
  const FailingTools tools;
  HeatScene scene(3, kPlacement, {"--mb", "2"}, {}, tools.cppc_run());
  tools.arm(GetParam());
  EXPECT_NE(migrate(scene).status, 0);
  expect_ended_by_it(tools, scene);
}

class MpiFailsWithALostAgent : public testing::TestWithParam<Failure> {};

TEST_P(MpiFailsWithALostAgent, TheJobEndsWithAMessage) {
  const FailingTools tools;
  HeatScene scene(3, kOneNode, {"--mb", "2"}, kLoseAnAgent, tools.cppc_run());
  EXPECT_NE(migrate_to(scene, "node1").status, 0);
  tools.arm(GetParam());
  EXPECT_NE(migrate_to(scene, "node1").status, 0);
  expect_ended_by_it(tools, scene);
}

class MpiFailsAtTheStart : public testing::TestWithParam<Failure> {};

TEST_P(MpiFailsAtTheStart, TheJobEndsWithAMessage) {
  const FailingTools tools;
  const Cluster cluster(3);
  tools.arm(GetParam());
  Job job(cluster, kPlacement, {app("heat"), "--quiet", "--steps", "10"}, {}, tools.cppc_run());
  const Finished finished = job.wait();
  EXPECT_FALSE(tools.armed());
  EXPECT_NE(finished.status, 0);
  const char* const named = GetParam().function == "PMPI_Init" ? "MPI_Init has failed" : "MPI_ERR_OTHER";
  EXPECT_EQ(times(finished.errors, named), 1U) << finished.errors;
}

class MpiFailsAtTheEnd : public testing::TestWithParam<Failure> {};

TEST_P(MpiFailsAtTheEnd, TheJobHasEndedWell) {
  const FailingTools tools;
  HeatScene scene(3, kPlacement, {"--mb", "2"}, {}, tools.cppc_run());
  tools.arm(GetParam());
  const Answer answer = scene.finish();
  EXPECT_FALSE(tools.armed());
  EXPECT_EQ(answer.status, 0) << answer.errors;
  EXPECT_EQ(times(answer.errors, "MPI_ERR_OTHER"), 1U) << answer.errors;
}

std::string name_of(const testing::TestParamInfo<Failure>& info) {
  return info.param.function + '_' + std::to_string(info.param.nth);
}
INSTANTIATE_TEST_SUITE_P(Each, MpiFailsAfterTheDecision, testing::ValuesIn(kFatal), name_of);
INSTANTIATE_TEST_SUITE_P(Each, MpiFailsWithALostAgent, testing::ValuesIn(kWithALostAgent), name_of);
INSTANTIATE_TEST_SUITE_P(Each, MpiFailsAtTheStart, testing::ValuesIn(kAtTheStart), name_of);
INSTANTIATE_TEST_SUITE_P(Each, MpiFailsAtTheEnd, testing::ValuesIn(kAtTheEnd), name_of);

std::set<std::string> calls_in(const std::filesystem::path& source) {
  std::ifstream file(source);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const std::regex call("PMPI_[A-Za-z_]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), call), {}};
}

TEST(MpiFailureTest, NoCallOfTheAgentsIsLeftOut) {
  std::set<std::string> tried;
  for (const auto& list : {kUndone, kHarmless, kWithALostAgent, kFatal, kAtTheStart, kAtTheEnd})
    for (const Failure& one : list) tried.insert(one.function);
  tried.insert({"PMPI_Abort", "PMPI_Error_string"});  // what could one do?
  const std::filesystem::path root = CPPC_SOURCE_DIR;
  std::set<std::string> called;
  for (const auto& file : std::filesystem::directory_iterator(root / "migration/src/agent"))
    called.merge(calls_in(file.path()));
  called.merge(calls_in(root / "migration/src/job_comms.cpp"));
  EXPECT_GT(called.size(), 20U);
  for (const std::string& function : called) EXPECT_TRUE(tried.contains(function)) << function;
}

}  // namespace
}  // namespace cppc::test
