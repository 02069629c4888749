#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "expectations.hpp"
#include "scene.hpp"

namespace cppc::test {
namespace {

const std::vector<std::string> kFourOnTwo{"-H", "node0:2,node1:2,node2:4", "-n", "4"};

TEST(MigrationTest, MovesARankAndTheOldProcessIsGone) {
  HeatScene scene(3, kFourOnTwo);
  EXPECT_EQ(scene.cluster().processes("node0", app("heat")).size(), 2U);
  EXPECT_EQ(scene.cluster().processes("node2", app("heat")).size(), 0U);
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  EXPECT_EQ(scene.cluster().processes("node0", app("heat")).size(), 1U);
  EXPECT_EQ(scene.cluster().processes("node2", app("heat")).size(), 1U);
  EXPECT_EQ(scene.job().node_of(1), "node2");
  expect_same_answer(scene);
}

TEST(MigrationTest, AReplacementMayUseAllProcessorsThatTheOthersUse) {
  HeatScene scene(3, kFourOnTwo);
  const auto processors = [&](const char* node) {
    const auto processes = scene.cluster().processes(node, app("heat"));
    EXPECT_FALSE(processes.empty());
    const std::string status = "/proc/" + std::to_string(processes.empty() ? 0 : processes.front()) + "/status";
    return scene.cluster().run(node, {"grep", "Cpus_allowed_list", status}).output;
  };
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  EXPECT_EQ(processors("node2"), processors("node0"));
  expect_same_answer(scene);
}

TEST(MigrationTest, MovesEveryRankTwice) {
  HeatScene scene(3, kFourOnTwo);
  for (const char* target : {"node2", "node0", "node1"})
    for (const char* rank : {"0", "1", "2", "3"})
      if (scene.job().node_of(std::stoi(rank)) != target)
        expect_done(scene.job().migrate({"--rank", rank, "--to", target}));
  for (const int rank : {0, 1, 2, 3}) EXPECT_EQ(scene.job().node_of(rank), "node1");
  expect_same_answer(scene);
}

TEST(MigrationTest, MovesSeveralRanksAtOnce) {
  HeatScene scene(3, kFourOnTwo);
  expect_done(scene.job().migrate({"--rank", "0,3", "--to", "node2"}));
  EXPECT_EQ(scene.job().node_of(0), "node2");
  EXPECT_EQ(scene.job().node_of(3), "node2");
  expect_same_answer(scene);
}

/// Replacements on three nodes come together before they join the others: in two rounds.
TEST(MigrationTest, MovesRanksToSeveralNodesAtOnce) {
  HeatScene scene(4, {"-H", "node0:6,node1:2,node2:2,node3:2", "-n", "6"});
  expect_done(scene.job().migrate({"--rank", "0,1,2,3", "--to", "node1,node2,node3"}));
  std::set<std::string> nodes;
  for (const int rank : {0, 1, 2, 3}) nodes.insert(scene.job().node_of(rank));
  EXPECT_EQ(nodes, (std::set<std::string>{"node1", "node2", "node3"}));
  expect_done(scene.job().migrate({"--rank", "0,1,2,3,4,5", "--to", "node0,node1"}));
  expect_same_answer(scene);
}

void await_text(Process& process, const std::string& text) {
  while (process.running() && process.output().find(text) == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

TEST(MigrationTest, MovesRanksThatComputeWithoutACall) {
  const Folder folder;
  const Cluster cluster(3);
  Job job(cluster, kFourOnTwo, {app("alone"), "--steps", "1000000000", "--until", folder.file("end")});
  job.await_running();
  await_text(job.process(), "working");
  for (const char* target : {"node2", "node0"})
    for (const char* rank : {"1", "3"})
      if (job.node_of(std::stoi(rank)) != target) expect_done(job.migrate({"--rank", rank, "--to", target}));
  std::ofstream(folder.file("end")).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
}

/// cppc has marked loops, which every rank passes as often as it likes.
TEST(MigrationTest, MovesRanksThatPassDifferentSafePoints) {
  const Folder folder;
  const Cluster cluster(3);
  Job job(cluster, kFourOnTwo, {app("farm"), "--until", folder.file("end")});
  job.await_running();
  for (const char* rank : {"0", "1", "2", "3"}) expect_done(job.migrate({"--rank", rank, "--to", "node2"}));
  expect_done(job.migrate({"--rank", "0", "--to", "node0"}));
  std::ofstream(folder.file("end")).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
  EXPECT_NE(finished.output.find("farm: ok"), std::string::npos) << finished.output;
}

TEST(MigrationTest, MovesRanksThatWaitForOthersInMpiFinalize) {
  const Cluster cluster(3);
  const Folder folder;
  Job job(cluster, kFourOnTwo, {tool("uneven_end"), folder.file("stop")});
  job.await_running();
  expect_done(job.migrate({"--rank", "0,3", "--to", "node2"}));
  expect_done(job.migrate({"--rank", "0", "--to", "node1"}));
  const Finished evacuated = job.migrate({"--evacuate", "node0"});
  EXPECT_EQ(evacuated.status, 0) << evacuated.output << evacuated.errors;
  EXPECT_NE(job.node_of(1), "node0");
  expect_done(job.migrate({"checkpoint", "--to", folder.file("images")}));
  std::ofstream(folder.file("stop")).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  for (const int rank : {0, 1, 2, 3})
    EXPECT_NE(finished.output.find("rank " + std::to_string(rank) + ": 100000 right\n"), std::string::npos)
        << finished.output;
}

TEST(MigrationTest, MovesRanksWhileOthersWaitForOneThatComputes) {
  constexpr int rounds = 13;
  const Cluster cluster(3);
  const Folder folder;
  Job job(cluster, kFourOnTwo, {tool("late_rank"), folder.file("go")});
  job.await_running();
  for (int round = 0; round < rounds; ++round) {
    const int late = round % 4;
    await_text(job.process(), "round " + std::to_string(round) + ": rank " + std::to_string(late) + " computes\n");
    const int moved = round % 2 == 0 ? late : (late + 1) % 4;
    const std::string target = job.node_of(moved) == "node2" ? "node0" : "node2";
    expect_done(job.migrate({"--rank", std::to_string(moved), "--to", target}));
    std::ofstream(folder.file("go." + std::to_string(round))).flush();
  }
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_NE(finished.output.find("0 wrong\n"), std::string::npos) << finished.output;
}

TEST(MigrationTest, AnEvacuatedNodeCanBePoweredOff) {
  HeatScene scene(3, kFourOnTwo);
  const Finished evacuated = scene.job().migrate({"--evacuate", "node1"});
  expect_done(evacuated);
  EXPECT_NE(evacuated.output.find("node1: safe to power off"), std::string::npos) << evacuated.output;
  EXPECT_EQ(scene.cluster().processes("node1", app("heat")).size(), 0U);
  EXPECT_EQ(scene.cluster().processes("node1", tool("cppc-agent")).size(), 0U);
  scene.cluster().off("node1");
  expect_done(scene.job().migrate({"--rank", "0", "--to", "node2"}));
  expect_done(scene.job().migrate({"--rank", "0", "--to", "node0"}));
  expect_same_answer(scene);
}

/// Of those that stay, and of the one that moves from one node's clock to another's.
TEST(MigrationTest, TellsTheDowntimeOfEachRank) {
  HeatScene scene(3, kFourOnTwo);
  const Finished finished = scene.job().migrate({"--rank", "1", "--to", "node2", "--json"});
  expect_done(finished);
  const auto done = nlohmann::json::parse(finished.output);
  ASSERT_EQ(done["downtime_ms"].size(), 4U) << done;
  for (const auto& downtime : done["downtime_ms"]) {
    EXPECT_GT(downtime, 0) << done;
    EXPECT_LE(downtime, done["seconds"].get<double>() * 1000) << done;
  }
  expect_same_answer(scene);
}

/// The master of the farm stops at a safe point that no worker comes to, since all of them wait for it. It says so two
/// seconds later, when the others have been given up; then all stop between two calls.
TEST(MigrationTest, CountsEveryStopOfARankInItsDowntime) {
  const Folder folder;
  const Cluster cluster(3);
  Job job(cluster, kFourOnTwo, {app("farm"), "--until", folder.file("end")},
          {"CPPC_LOG=debug", "CPPC_FAULT=other-arrive:delay", "CPPC_FAULT_RECORD=" + folder.file("struck")});
  job.await_running();
  const Finished moved = job.migrate({"--rank", "1", "--to", "node2", "--json"});
  std::ofstream(folder.file("end")).flush();
  const Finished finished = job.wait();
  ASSERT_EQ(moved.status, 0) << moved.errors << finished.errors;
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
  if (finished.errors.find("has not come to the migration point in time; stopping at any call") == std::string::npos)
    GTEST_SKIP() << "the ranks have not agreed on a safe point within a second: this machine is too busy\n"
                 << finished.errors;
  const auto done = nlohmann::json::parse(moved.output);
  EXPECT_GE(done["downtime_ms"][0], 2000) << done << finished.errors;
}

TEST(MigrationTest, EvacuatesANodeWithoutRanks) {
  HeatScene scene(3, {"-H", "node0:2,node1:4,node2:2", "-n", "4"});
  const Finished evacuated = scene.job().migrate({"--evacuate", "node2"});
  expect_done(evacuated);
  EXPECT_NE(evacuated.output.find("node2: safe to power off"), std::string::npos) << evacuated.output;
  EXPECT_EQ(scene.cluster().processes("node2", tool("cppc-agent")).size(), 0U);
  expect_done(scene.job().migrate({"--rank", "0", "--to", "node1"}));
  expect_same_answer(scene);
}

/// One of the jobs has its socket at a place of its own.
TEST(MigrationTest, AnEvacuationEmptiesTheNodeOfAllJobs) {
  const Folder folder;
  const Cluster cluster(3);
  const std::vector<std::string> placement{"-H", "node0:1,node1:1,node2:4", "--map-by", "node", "-n", "2"};
  Job heat(cluster, placement, {app("heat"), "--quiet", "--mb", "2", "--until", folder.file("stop")});
  Job storm(cluster, placement, {app("storm"), "--until", folder.file("stop")}, {"XDG_RUNTIME_DIR=" + folder.file("")});
  heat.await_running();
  storm.await_running();
  const Finished one = heat.migrate({"--evacuate", "node1"});
  EXPECT_EQ(one.status, 6) << one.output << one.errors;
  EXPECT_NE(one.output.find("node1: not safe to power off: still there: storm-"), std::string::npos) << one.output;
  const Finished all = cluster.run("head", {tool("migrate"), "--evacuate", "node1"});
  expect_done(all);
  EXPECT_NE(all.output.find("\nnode1: safe to power off\n"), std::string::npos) << all.output;
  for (const std::string& program : {app("heat"), app("storm"), tool("cppc-agent")})
    EXPECT_EQ(cluster.processes("node1", program).size(), 0U) << program;
  cluster.off("node1");
  const Finished both = cluster.run("head", {tool("migrate"), "--evacuate", "node0", "--json"});
  expect_done(both);
  EXPECT_EQ(nlohmann::json::parse(both.output).at("jobs").size(), 2U) << both.output;
  std::ofstream(folder.file("stop")).flush();
  EXPECT_EQ(heat.wait().status, 0);
  EXPECT_EQ(storm.wait().status, 0);
}

/// Whether all of the cluster has IPv6 addresses now, and no others.
bool leave_ipv6_alone(const Cluster& cluster, const std::vector<std::string>& nodes) {
  std::string hosts = "127.0.0.1 localhost\n::1 localhost\n";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string address = "fd77::" + std::to_string(i + 1);
    const std::string commands =
        "PATH=$PATH:/usr/sbin:/sbin; ip address add " + address + "/64 dev eth0 nodad && ip -4 address flush dev eth0";
    if (cluster.run(nodes[i], {"sh", "-c", commands}).status != 0) return false;
    hosts += address + " " + nodes[i] + "\n";
  }
  return cluster.run("head", {"sh", "-c", "printf \"$1\" > /etc/hosts", "sh", hosts}).status == 0;
}

TEST(MigrationTest, WorksWithIPv6Alone) {
  const Folder folder;
  const Cluster cluster(3);
  if (!leave_ipv6_alone(cluster, {"head", "node0", "node1", "node2"})) GTEST_SKIP() << "needs IPv6";
  Job job(cluster, kFourOnTwo, {app("heat"), "--quiet", "--mb", "2", "--until", folder.file("stop")});
  job.await_running();
  expect_done(job.migrate({"--rank", "1", "--to", "node2"}));
  expect_done(job.migrate({"--evacuate", "node1"}));
  std::ofstream(folder.file("stop")).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
}

TEST(MigrationTest, TheWholeJobMovesToOtherNodes) {
  HeatScene scene(6, {"-H", "node0:2,node1:1,node2:1,node3:2,node4:1,node5:1", "-n", "4"});
  expect_done(scene.job().migrate({"--rank", "0", "--to", "node3"}));
  expect_done(scene.job().migrate({"--evacuate", "node0", "--to", "node3"}));
  scene.cluster().off("node0");
  expect_done(scene.job().migrate({"--evacuate", "node1", "--to", "node4"}));
  scene.cluster().off("node1");
  expect_done(scene.job().migrate({"--evacuate", "node2", "--to", "node5"}));
  scene.cluster().off("node2");
  EXPECT_EQ(scene.job().node_of(0), "node3");
  EXPECT_EQ(scene.job().node_of(1), "node3");
  EXPECT_EQ(scene.job().node_of(2), "node4");
  EXPECT_EQ(scene.job().node_of(3), "node5");
  expect_same_answer(scene);
}

}  // namespace
}  // namespace cppc::test
