/// Agents that are lost while the job goes on: the others carry on among themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "expectations.hpp"
#include "scene.hpp"

namespace cppc::test {
namespace {

/// node2 and node3 are spare.
const std::vector<std::string> kTwoSpares{"-H", "node0:2,node1:2,node2:4,node3:4", "-n", "4"};

/// The agent of a node on which no replacement is: the child of its guardian.
pid_t agent_on(HeatScene& scene, const std::string& node) {
  const auto processes = scene.cluster().processes(node, tool("cppc-agent"));
  EXPECT_EQ(processes.size(), 2U) << "a guardian and its agent";
  return *std::ranges::max_element(processes);
}

void kill_process(HeatScene& scene, const std::string& node, pid_t process) {
  EXPECT_EQ(scene.cluster().run(node, {"kill", "-KILL", std::to_string(process)}).status, 0);
}

void kill_agent(HeatScene& scene, const std::string& node) { kill_process(scene, node, agent_on(scene, node)); }

std::string state_of(HeatScene& scene, const std::string& node) {
  const auto status = scene.job().status();
  for (const auto& one : status.at("nodes"))
    if (one.at("node") == node) return one.at("state");
  return "";
}

void await_state(HeatScene& scene, const std::string& node, const std::string& state) {
  while (state_of(scene, node) != state) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void await_down(HeatScene& scene, const std::string& node) { await_state(scene, node, "down"); }

TEST(LostAgentTest, TheAgentOfASpareNode) {
  HeatScene scene(4, kTwoSpares);
  kill_agent(scene, "node3");
  await_down(scene, "node3");
  const Finished refused = scene.job().migrate({"--rank", "1", "--to", "node3"});
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.errors.find("node3 is down"), std::string::npos) << refused.errors;
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "2", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node0"}));
  expect_same_answer(scene);
}

TEST(LostAgentTest, TheAgentOfANodeThatRanksHaveLeft) {
  HeatScene scene(4, kTwoSpares);
  expect_done(scene.job().migrate({"--rank", "2", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "3", "--to", "node3"}));
  kill_agent(scene, "node1");
  await_down(scene, "node1");
  expect_done(scene.job().migrate({"--rank", "0", "--to", "node2"}));
  expect_done(scene.job().migrate({"--evacuate", "node0"}));
  expect_same_answer(scene);
}

TEST(LostAgentTest, ASpareNodeThatVanishes) {
  HeatScene scene(4, kTwoSpares);
  scene.cluster().off("node3");
  await_down(scene, "node3");
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "3", "--to", "node2"}));
  expect_same_answer(scene);
}

TEST(LostAgentTest, OneAfterTheOther) {
  HeatScene scene(4, kTwoSpares);
  kill_agent(scene, "node3");
  await_down(scene, "node3");
  expect_done(scene.job().migrate({"--evacuate", "node0", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "2,3", "--to", "node2"}));
  kill_agent(scene, "node1");
  await_down(scene, "node1");
  const Finished refused = scene.job().migrate({"--rank", "2", "--to", "node1"});
  EXPECT_NE(refused.errors.find("node1 is down"), std::string::npos) << refused.errors;
  expect_same_answer(scene);
}

/// Ranks 2 and 3 are there, and stop for the others.
TEST(LostAgentTest, TheAgentOfANodeWithRanks) {
  HeatScene scene(4, kTwoSpares);
  kill_agent(scene, "node1");
  await_state(scene, "node1", "leave-only");
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  const Finished refused = scene.job().migrate({"--rank", "0", "--to", "node1"});
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.errors.find("node1 has lost its agent"), std::string::npos) << refused.errors;
  expect_done(scene.job().migrate({"--rank", "2", "--to", "node3"}));
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node0"}));
  expect_same_answer(scene);
}

TEST(LostAgentTest, ItsNodeCanBeEvacuated) {
  HeatScene scene(4, kTwoSpares);
  kill_agent(scene, "node1");
  await_state(scene, "node1", "leave-only");
  expect_done(scene.job().migrate({"--evacuate", "node1"}));
  EXPECT_EQ(state_of(scene, "node1"), "evacuated");
  expect_done(scene.job().migrate({"--rank", "2", "--to", "node0"}));
  expect_same_answer(scene);
}

/// It does not see that its connection is closed, but its guardian does.
/// All nodes get new agents when the job goes on under another mpirun.
TEST(LostAgentTest, ItsNodeTakesRanksAgainWhenItIsAdded) {
  HeatScene scene(4, kTwoSpares);
  kill_agent(scene, "node1");
  kill_agent(scene, "node3");
  await_state(scene, "node1", "leave-only");
  await_down(scene, "node3");
  for (const char* node : {"node1", "node3"})
    EXPECT_NE(scene.job().migrate({"--rank", "0", "--to", node}).status, 0) << node;
  expect_done(scene.job().migrate({"--add", "node1:2,node3:4"}));
  for (const char* node : {"node1", "node3"}) {
    EXPECT_EQ(state_of(scene, node), "up") << node;
    expect_done(scene.job().migrate({"--rank", "0", "--to", node}));
    EXPECT_EQ(scene.job().node_of(0), node);
  }
  expect_same_answer(scene);
}

TEST(LostAgentTest, AStoppedAgentOfANodeWithRanksIsReplaced) {
  HeatScene scene(4, kTwoSpares, {"--mb", "2"}, {"CPPC_DEADLINE_START=10"});
  const pid_t agent = agent_on(scene, "node1");
  EXPECT_EQ(scene.cluster().run("node1", {"kill", "-STOP", std::to_string(agent)}).status, 0);
  const Finished failed = scene.job().migrate({"--rank", "1", "--to", "node2"});
  EXPECT_NE(failed.status, 0);
  EXPECT_NE(failed.errors.find("the agent of node1 does not answer"), std::string::npos) << failed.errors;
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "2", "--to", "node3"}));
  expect_same_answer(scene);
}

/// The leader, and so the root of the agents' tree; then the one that takes over.
TEST(LostAgentTest, TwoAgentsOfNodesWithRanks) {
  HeatScene scene(4, kTwoSpares);
  kill_agent(scene, "node0");
  await_state(scene, "node0", "leave-only");
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  kill_agent(scene, "node1");
  await_state(scene, "node1", "leave-only");
  expect_done(scene.job().migrate({"--rank", "3", "--to", "node3"}));
  kill_agent(scene, "node1");  // that which has taken its place
  expect_done(scene.job().migrate({"--rank", "3", "--to", "node2"}));
  expect_same_answer(scene);
}

/// All ranks on node0, whose agent leads; node2's agent only takes part, and is lost.
class LostDuringAMigration : public testing::TestWithParam<const char*> {};

const std::vector<std::string> kOneFull{"-H", "node0:4,node1:4,node2:4", "-n", "4"};

std::vector<std::string> faulty(const std::string& fault) { return {"CPPC_DEADLINE_SHIP=20", "CPPC_FAULT=" + fault}; }

TEST_P(LostDuringAMigration, CostsThatMigrationOnly) {
  HeatScene scene(3, kOneFull, {"--mb", "2"}, faulty(std::string("other-agent-") + GetParam()));
  const Finished failed = scene.job().migrate({"--rank", "1", "--to", "node1"});
  EXPECT_NE(failed.status, 0);
  EXPECT_NE(failed.errors.find("the agent of node2"), std::string::npos) << failed.errors;
  EXPECT_EQ(scene.job().node_of(1), "node0");
  await_down(scene, "node2");
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node1"}));
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node0"}));
  EXPECT_EQ(scene.job().node_of(1), "node0");
  expect_same_answer(scene);
}

/// Ranks 2 and 3 are on node1, whose agent only takes part.
class LostWithRanksDuringAMigration : public testing::TestWithParam<const char*> {};

TEST_P(LostWithRanksDuringAMigration, CostsThatMigrationOnly) {
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:4", "-n", "4"}, {"--mb", "2"},
                  faulty(std::string("other-agent-") + GetParam()));
  const Finished failed = scene.job().migrate({"--rank", "1", "--to", "node2"});
  EXPECT_NE(failed.status, 0);
  EXPECT_NE(failed.errors.find("the agent of node1 has died"), std::string::npos) << failed.errors;
  EXPECT_EQ(scene.job().node_of(1), "node0");
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node0"}));
  expect_same_answer(scene);
}

std::string name_of_step(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::ranges::replace(name, ':', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Steps, LostWithRanksDuringAMigration,
                         testing::Values("prepare:kill", "freeze:kill", "ship:cut"), name_of_step);

INSTANTIATE_TEST_SUITE_P(Steps, LostDuringAMigration,
                         testing::Values("prepare:kill", "negotiate:kill", "freeze:kill", "ship:kill",
                                         "negotiate:corrupt"),
                         name_of_step);

TEST(LostAgentTest, TheLeader) {
  HeatScene scene(3, kOneFull, {"--mb", "2"}, faulty("other-agent-prepare:kill:2"));
  expect_done(scene.job().migrate({"--rank", "0,1,2,3", "--to", "node1"}));  // node2 looks on, for the first time
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));        // so does node0
  const Finished failed = scene.job().migrate({"--rank", "1", "--to", "node1"});
  EXPECT_NE(failed.status, 0);
  EXPECT_NE(failed.errors.find("the agent of node0 has died"), std::string::npos) << failed.errors;
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node1"}));
  expect_done(scene.job().migrate({"--rank", "3", "--to", "node2"}));
  expect_same_answer(scene);
}

TEST(LostAgentTest, TheTarget) {
  HeatScene scene(4, kTwoSpares, {"--mb", "2"}, {"CPPC_FAULT=source-agent-freeze:delay"});
  const pid_t agent = agent_on(scene, "node3");
  Process migrate = scene.job().start_migrate({"--rank", "1", "--to", "node3"});
  while (migrate.running() && migrate.output().find("freeze") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill_process(scene, "node3", agent);
  const Finished failed = migrate.wait();
  EXPECT_NE(failed.status, 0);
  EXPECT_NE(failed.errors.find("the agent of node3 has died"), std::string::npos) << failed.errors;
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_same_answer(scene);
}

}  // namespace
}  // namespace cppc::test
