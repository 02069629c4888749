/// Checkpoints in the memory of emulated nodes, without any directory that they share: what becomes of a job that loses
/// a node or a keeper, and what is left of its keepers. What fails in the middle of a checkpoint: FaultCase.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "expectations.hpp"
#include "scene.hpp"

namespace cppc::test {
namespace {

using namespace std::chrono_literals;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Images are on two nodes, or have parities: how they are protected, and how many nodes that takes.
struct Protection {
  const char* option = "partner";
  int nodes = 3;
};
constexpr Protection kOneParity{"rs:2+1", 3}, kTwoParities{"rs:2+2", 4};

/// A solver with ranks on two nodes and others to spare, whose images are in its nodes' memory.
class KeeperTest : public testing::Test {
 protected:
  void start(const std::vector<std::string>& settings = {}, const Protection& protection = {}, bool recovers = true) {
    std::vector<std::string> all{"CPPC_LOG=info"};
    all.insert(all.end(), settings.begin(), settings.end());
    std::string hosts;
    for (int i = 0; i < protection.nodes; ++i) {
      nodes_.push_back("node" + std::to_string(i));
      hosts += (i == 0 ? "" : ",") + nodes_.back() + ":2";
    }
    std::vector<std::string> options{"--protect", protection.option, "--checkpoint-every", "1s"};
    if (recovers) options.insert(options.end(), {"--recover", "2"});
    options.insert(options.end(), {"-H", hosts, "-n", "4"});
    scene_.emplace(protection.nodes, options, std::vector<std::string>{"--mb", "2"}, all);
  }
  ~KeeperTest() override {
    if (!scene_) return;
    for (const std::string& node : nodes_) {
      if (off_.contains(node)) continue;
      EXPECT_TRUE(await([&] { return keepers_on(node).empty(); })) << "a keeper is left on " << node;
    }
  }
  [[nodiscard]] bool printed(const std::string& what) { return contains(scene_->job().process().errors(), what); }
  template <class Condition>
  bool await(Condition condition) {
    for (int i = 0; i < 1200 && !condition(); ++i) std::this_thread::sleep_for(50ms);
    return condition();
  }
  /// Until it has been said, or the job has ended.
  [[nodiscard]] bool await_message(const std::string& what) {
    return await([&] { return printed(what) || !scene_->job().process().running(); }) && printed(what);
  }
  [[nodiscard]] std::vector<pid_t> keepers_on(const std::string& node) const {
    return scene_->cluster().processes(node, tool("cppc-keeper"));
  }
  void kill_keeper(const std::string& node) const {
    for (const pid_t one : keepers_on(node)) (void)scene_->cluster().run(node, {"kill", "-KILL", std::to_string(one)});
  }
  void power_off(const std::string& node) {
    scene_->cluster().off(node);
    off_.insert(node);
  }
  /// `since`: what has been said before, of which nothing counts.
  void expect_recovery_from(const std::string& checkpoint, std::size_t since = 0) {
    const std::string words = "it is started again from " + checkpoint;
    ASSERT_TRUE(await_message_since(since, words)) << scene_->job().process().errors();
    scene_->job().await_running();
  }
  [[nodiscard]] std::size_t printed_so_far() { return scene_->job().process().errors().size(); }
  [[nodiscard]] bool await_message_since(std::size_t since, const std::string& what) {
    const auto printed = [&] { return contains(scene_->job().process().errors().substr(since), what); };
    return await([&] { return printed() || !scene_->job().process().running(); }) && printed();
  }

  std::optional<HeatScene> scene_;
  std::vector<std::string> nodes_;
  std::set<std::string> off_;
};

TEST_F(KeeperTest, AJobThatLosesANodeGoesOnFromMemory) {
  start();
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  power_off("node1");
  expect_recovery_from("memory:");
  EXPECT_EQ(scene_->job().node_of(2), "node2");
  expect_same_answer(*scene_);
}

/// Nothing protects images on one node: they go to others as these come.
TEST_F(KeeperTest, AJobThatIsLeftOnOneNodeIsProtectedAgainWhenAnotherOneComes) {
  start();
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  for (const char* node : {"node1", "node2"}) expect_done(scene_->job().migrate({"--evacuate", node}));
  const Finished unprotected = scene_->job().migrate({"checkpoint"});
  EXPECT_NE(unprotected.status, 0);
  EXPECT_TRUE(contains(unprotected.errors, "no other node is left")) << unprotected.errors;
  expect_done(scene_->job().migrate({"--restore", "node1"}));
  const std::size_t since = printed_so_far();
  ASSERT_TRUE(await_message_since(since, "checkpoint memory:")) << scene_->job().process().errors();
  power_off("node1");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, AnMpirunThatHangsWhenTheJobIsLostIsKilled) {
  start({"CPPC_DEADLINE_LEAVE=2"});
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  const auto mpirun = scene_->cluster().processes("head", std::filesystem::canonical("/usr/bin/mpirun"));
  ASSERT_EQ(mpirun.size(), 1U);
  (void)scene_->cluster().run("head", {"kill", "-STOP", std::to_string(mpirun.front())});
  power_off("node1");
  expect_recovery_from("memory:");
  EXPECT_TRUE(printed("no agent is left, and it goes on: it is killed"));
  expect_same_answer(*scene_);
}

/// As a daemon leaves it that has lost its mpirun and had no time. What other jobs have there stays.
TEST_F(KeeperTest, WhatOpenMpiHasLeftOnANodeIsRemovedWhenTheJobGoesOn) {
  start();
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  const auto on_node0 = [&](const std::string& command) {
    return scene_->cluster().run("node0", {"sh", "-c", "cd /dev/shm && " + command});
  };
  ASSERT_EQ(
      on_node0("for one in vader_segment.*; do touch ${one%.*}.99; done; touch vader_segment.node0.0.10001.99").status,
      0);
  power_off("node1");
  expect_recovery_from("memory:");
  std::string left;
  EXPECT_TRUE(await([&] { return (left = on_node0("echo *.99").output) == "vader_segment.node0.0.10001.99\n"; }))
      << left;
  EXPECT_EQ(on_node0("rm *.99").status, 0);
  expect_same_answer(*scene_);
}

/// The node that has images of both others' ranks leaves: what it had is elsewhere before.
TEST_F(KeeperTest, ANodeThatIsEvacuatedTakesNoImageWithIt) {
  start();
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  expect_done(scene_->job().migrate({"--evacuate", "node1"}));
  EXPECT_TRUE(keepers_on("node1").empty());
  power_off("node0");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, WithoutCppcRunNoKeeperStaysForGood) {
  start({"CPPC_DEADLINE_KEEP=5"});
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  scene_->job().kill();
  (void)scene_->job().wait();
}

TEST_F(KeeperTest, AJobWhoseCppcRunIsKilledIsTakenUp) {
  start();
  ASSERT_TRUE(await_message("checkpoint memory:2:"));
  scene_->job().kill();
  (void)scene_->job().wait();
  scene_->job().resume();
  ASSERT_TRUE(await_message(" is taken up from memory:")) << scene_->job().process().errors();
  scene_->job().await_running();
  ASSERT_TRUE(await_message("checkpoint memory:")) << scene_->job().process().errors();
  power_off("node1");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

/// It has not answered in time, and goes on with the images that it has.
TEST_F(KeeperTest, AKeeperThatWasStoppedIsTakenUpAgain) {
  start({"CPPC_DEADLINE_SHIP=5"});  // for a checkpoint that is under way
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  const auto to_keepers = [&](const std::string& signal) {
    for (const pid_t one : keepers_on("node1"))
      (void)scene_->cluster().run("node1", {"kill", "-" + signal, std::to_string(one)});
  };
  to_keepers("STOP");
  ASSERT_TRUE(await_message("does not answer")) << scene_->job().process().errors();
  to_keepers("CONT");
  ASSERT_TRUE(await_message_since(printed_so_far(), "checkpoint memory:")) << scene_->job().process().errors();
  power_off("node0");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

/// With the last images of the node that has gone, too.
TEST_F(KeeperTest, AJobIsTakenUpWithoutANode) {
  start();
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  scene_->job().kill();
  (void)scene_->job().wait();
  power_off("node0");
  scene_->job().resume();
  ASSERT_TRUE(await_message(" is taken up from memory:")) << scene_->job().process().errors();
  scene_->job().await_running();
  expect_same_answer(*scene_);
}

/// Nobody has asked for it to be started again, but it can be.
TEST_F(KeeperTest, AJobThatIsLostWithoutRecoverWaitsToBeResumed) {
  start({}, {}, /*recovers=*/false);
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  power_off("node1");
  const Finished lost = scene_->job().wait();
  EXPECT_NE(lost.status, 0);
  EXPECT_TRUE(contains(lost.errors, " stay in memory for ")) << lost.errors;
  scene_->job().resume();
  ASSERT_TRUE(await_message(" is taken up from memory:")) << scene_->job().process().errors();
  scene_->job().await_running();
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, AJobThatRunsOrHasEndedIsNotTakenUp) {
  start();
  const std::string job = scene_->job().status().value("job", "");
  const auto resume = [&] { return scene_->cluster().run("head", {tool("cppc-run"), "--resume", job}); };
  const Finished running = resume();
  EXPECT_EQ(running.status, 1);
  EXPECT_TRUE(contains(running.errors, "the job's cppc-run is still there")) << running.errors;
  expect_same_answer(*scene_);
  const Finished ended = resume();
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(contains(ended.errors, "no job " + job + " of yours can be resumed")) << ended.errors;
}

TEST_F(KeeperTest, OneNodeAloneIsRefused) {
  const Cluster cluster(2);
  Job alone(cluster, {"--protect", "partner", "--checkpoint-every", "1s", "-H", "node0:2", "-n", "2"}, {app("heat")});
  const Finished refused = alone.wait();
  EXPECT_EQ(refused.status, 1) << refused.errors;
  EXPECT_TRUE(contains(refused.errors, "needs two nodes or more")) << refused.errors;
}

TEST_F(KeeperTest, WithAParityANodeMayBeLostAndAnotherOneLater) {
  start({}, kOneParity);
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  power_off("node1");
  expect_recovery_from("memory:");
  std::size_t seen = printed_so_far();
  ASSERT_TRUE(await_message_since(seen, "checkpoint memory:")) << scene_->job().process().errors();
  seen = printed_so_far();
  power_off("node2");
  expect_recovery_from("memory:", seen);
  expect_same_answer(*scene_);
}

/// Before the next checkpoint, too: the last one is protected again.
TEST_F(KeeperTest, AParityIsMadeAnewForTheNodesThatAreLeft) {
  start({}, kOneParity);
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  power_off("node0");
  expect_recovery_from("memory:");
  ASSERT_TRUE(await_message(" is protected again")) << scene_->job().process().errors();
  const std::size_t seen = printed_so_far();
  power_off("node1");
  expect_recovery_from("memory:", seen);
  expect_same_answer(*scene_);
}

/// All nodes with ranks: the images are rebuilt from parities alone.
TEST_F(KeeperTest, WithTwoParitiesTwoNodesMayBeLostAtTheSameTime) {
  start({}, kTwoParities);
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  power_off("node0");
  power_off("node1");
  expect_recovery_from("memory:");
  EXPECT_TRUE(await_message("2 nodes have keepers: images have 1 in place of 2 parities"))
      << scene_->job().process().errors();
  EXPECT_FALSE(printed("no checkpoint: "));
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, ANodeThatIsEvacuatedTakesNoImageAndNoParityWithIt) {
  start({}, kOneParity);
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  expect_done(scene_->job().migrate({"--evacuate", "node1"}));
  EXPECT_TRUE(keepers_on("node1").empty());
  power_off("node0");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, WithAParityAJobIsTakenUpWithoutANode) {
  start({}, kOneParity);
  ASSERT_TRUE(await_message("checkpoint memory:1:"));
  scene_->job().kill();
  (void)scene_->job().wait();
  power_off("node0");
  scene_->job().resume();
  ASSERT_TRUE(await_message(" is taken up from memory:")) << scene_->job().process().errors();
  scene_->job().await_running();
  ASSERT_TRUE(await_message("checkpoint memory:")) << scene_->job().process().errors();
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, FewerNodesThanImagesAndParitiesAreRefused) {
  const Cluster cluster(2);
  Job job(cluster, {"--protect", "rs:2+1", "--checkpoint-every", "1s", "-H", "node0:2,node1:2", "-n", "2"},
          {app("heat")});
  const Finished refused = job.wait();
  EXPECT_EQ(refused.status, 1) << refused.errors;
  EXPECT_TRUE(contains(refused.errors, "--protect rs:2+1 needs 3 nodes or more, and the job has 2")) << refused.errors;
}

}  // namespace
}  // namespace cppc::test
