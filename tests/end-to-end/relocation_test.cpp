/// Nodes that come to a running job, or come back: the whole job goes on under another mpirun.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "expectations.hpp"
#include "scene.hpp"

namespace cppc::test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_refused(const Finished& asked, const std::string& why) {
  EXPECT_EQ(asked.status, 3) << asked.output << asked.errors;
  EXPECT_TRUE(contains(asked.errors, why)) << asked.errors;
}

void expect_no_keeper(const Cluster& cluster, const std::string& node) {
  const auto left = [&] { return !cluster.processes(node, tool("cppc-keeper")).empty(); };
  for (int i = 0; i < 600 && left(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(left()) << "a keeper is left on " << node;
}

TEST(RelocationTest, ANodeThatTheJobNeverHadComes) {
  HeatScene scene(3, {"-H", "node0:2,node1:2", "--map-by", "node", "-n", "4"});
  const Job& job = scene.job();
  expect_refused(job.migrate({"--rank", "1", "--to", "node2"}), "migrate --add node2");
  expect_refused(job.migrate({"--add", "node9"}), "node9 cannot be reached");
  expect_refused(job.migrate({"--add", "node1"}), "the job has node1 already");
  expect_done(job.migrate({"--rank", "0", "--to", "node1"}));
  expect_done(job.migrate({"--add", "node2:2", "--rank", "3", "--to", "node2"}));
  const std::vector<std::string> places{"node1", "node1", "node0", "node2"};
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(job.node_of(rank), places[static_cast<std::size_t>(rank)]) << "rank " << rank;
  expect_done(job.migrate({"--rank", "2", "--to", "node2"}));
  EXPECT_EQ(job.node_of(2), "node2");
  expect_same_answer(scene);
  for (const char* node : {"node0", "node1", "node2"}) expect_no_keeper(scene.cluster(), node);
}

TEST(RelocationTest, EachNodeInTurnIsEmptiedSwitchedOffAndUsedAgain) {
  HeatScene scene(4, {"-H", "node0:1,node1:1,node2:1,node3:1", "-n", "4"});
  const Job& job = scene.job();
  for (int number = 0; number < 4; ++number) {
    const std::string node = "node" + std::to_string(number);
    const Finished emptied = job.migrate({"--evacuate", node});
    expect_done(emptied);
    EXPECT_TRUE(contains(emptied.output, "safe to power off")) << emptied.output;
    scene.cluster().off(node);
    EXPECT_NE(job.node_of(number), node);
    scene.cluster().on(node);
    expect_done(job.migrate({"--restore", node}));
    EXPECT_EQ(job.node_of(number), node);
  }
  expect_same_answer(scene);
}

/// Of a job in which the fault strikes as it is to be relocated: what migrate has said.
std::string relocation_undone_by(const std::string& fault) {
  const Folder folder;
  HeatScene scene(3, {"-H", "node0:2,node1:2", "-n", "4"}, {"--mb", "2"},
                  {"CPPC_FAULT=" + fault, "CPPC_FAULT_RECORD=" + folder.file("struck")});
  const Finished failed = scene.job().migrate({"--add", "node2"});
  EXPECT_EQ(failed.status, 1) << failed.output << failed.errors;
  EXPECT_TRUE(std::filesystem::exists(folder.file("struck"))) << "the fault has not struck";
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node1"}));
  expect_same_answer(scene);
  return failed.errors;
}

TEST(RelocationTest, ImagesThatCannotBeWrittenLeaveTheJobWhereItIs) {
  const std::string messages = relocation_undone_by("saver-write:enospc");
  EXPECT_TRUE(contains(messages, "the job goes on as before")) << messages;
}

TEST(RelocationTest, ImagesCanGoThroughADirectory) {
  const Folder folder;
  HeatScene scene(3, {"-H", "node0:2,node1:2", "-n", "4"});
  const Job& job = scene.job();
  expect_done(job.migrate({"--add", "node2", "--images", folder.file("images")}));
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("images")));
  expect_no_keeper(scene.cluster(), "node0");
  expect_same_answer(scene);
}

/// Without its keeper a node's images are lost before the ranks have left.
TEST(RelocationTest, AKeeperThatDiesLeavesTheJobWhereItIs) { (void)relocation_undone_by("keeper-make:kill"); }

/// The remote shell runs commands on node2, but starts no daemon there.
TEST(RelocationTest, AJobThatCannotBeStartedThereGoesOnWhereItWas) {
  const Folder folder;
  const std::string shell = folder.file("shell");
  std::ofstream(shell) << "#!/bin/sh\ncase \"$*\" in node2*orted*) exit 1 ;; esac\nexec " << remote_shell()
                       << " \"$@\"\n";
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  HeatScene scene(3, {"--mca", "plm_rsh_agent", shell, "-H", "node0:2,node1:2", "-n", "4"});
  const Finished failed = scene.job().migrate({"--add", "node2"});
  EXPECT_EQ(failed.status, 1) << failed.output << failed.errors;
  EXPECT_TRUE(contains(failed.errors, "could not be started on node0, node1, node2")) << failed.errors;
  scene.job().await_running();
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node1"}));
  expect_same_answer(scene);
}

}  // namespace
}  // namespace cppc::test
