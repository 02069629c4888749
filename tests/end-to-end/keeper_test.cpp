/// Checkpoints in the memory of emulated nodes, without any directory that they share: what becomes of a job that loses
/// a node, a rank, or a keeper, and what is left of its keepers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
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

/// A solver with a spare node, whose images are in its nodes' memory.
class KeeperTest : public testing::Test {
 protected:
  void start(const std::vector<std::string>& settings = {}) {
    std::vector<std::string> all{"CPPC_LOG=info"};
    all.insert(all.end(), settings.begin(), settings.end());
    scene_.emplace(3,
                   std::vector<std::string>{"--protect", "partner", "--checkpoint-every", "1s", "--recover", "2", "-H",
                                            "node0:2,node1:2,node2:2", "-n", "4"},
                   std::vector<std::string>{"--mb", "2"}, all);
  }
  ~KeeperTest() override {
    if (!scene_) return;
    for (const char* node : {"node0", "node1", "node2"})
      if (!off_.contains(node))
        EXPECT_TRUE(await([&] { return keepers_on(node).empty(); })) << "a keeper is left on " << node;
  }
  [[nodiscard]] bool said(const std::string& what) { return contains(scene_->job().process().errors(), what); }
  template <class Condition>
  bool await(Condition condition) {
    for (int i = 0; i < 1200 && !condition(); ++i) std::this_thread::sleep_for(50ms);
    return condition();
  }
  /// Until it has been said, or the job has ended.
  [[nodiscard]] bool await_said(const std::string& what) {
    return await([&] { return said(what) || !scene_->job().process().running(); }) && said(what);
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
  void expect_recovery_from(const std::string& checkpoint) {
    ASSERT_TRUE(await_said("it is started again from " + checkpoint)) << scene_->job().process().errors();
    scene_->job().await_running();
  }

  std::optional<HeatScene> scene_;
  std::set<std::string> off_;
};

TEST_F(KeeperTest, AJobThatLosesANodeGoesOnFromMemory) {
  start();
  ASSERT_TRUE(await_said("checkpoint memory:1:"));
  power_off("node1");
  expect_recovery_from("memory:");
  EXPECT_EQ(scene_->job().node_of(2), "node2");
  expect_same_answer(*scene_);
}

/// The node that has images of both others' ranks leaves: what it had is elsewhere before.
TEST_F(KeeperTest, ANodeThatIsEvacuatedTakesNoImageWithIt) {
  start();
  ASSERT_TRUE(await_said("checkpoint memory:1:"));
  expect_done(scene_->job().migrate({"--evacuate", "node1"}));
  EXPECT_TRUE(keepers_on("node1").empty());
  power_off("node0");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

TEST_F(KeeperTest, WithoutCppcRunNoKeeperStaysForGood) {
  start({"CPPC_DEADLINE_KEEP=5"});
  ASSERT_TRUE(await_said("checkpoint memory:1:"));
  scene_->job().kill();
  (void)scene_->job().wait();
}

TEST_F(KeeperTest, AJobWhoseCppcRunIsKilledIsTakenUp) {
  start();
  ASSERT_TRUE(await_said("checkpoint memory:2:"));
  scene_->job().kill();
  (void)scene_->job().wait();
  scene_->job().resume();
  ASSERT_TRUE(await_said(" is taken up from memory:")) << scene_->job().process().errors();
  scene_->job().await_running();
  ASSERT_TRUE(await_said("checkpoint memory:")) << scene_->job().process().errors();
  power_off("node1");
  expect_recovery_from("memory:");
  expect_same_answer(*scene_);
}

/// With the last images of the node that has gone, too.
TEST_F(KeeperTest, AJobIsTakenUpWithoutANode) {
  start();
  ASSERT_TRUE(await_said("checkpoint memory:1:"));
  scene_->job().kill();
  (void)scene_->job().wait();
  power_off("node0");
  scene_->job().resume();
  ASSERT_TRUE(await_said(" is taken up from memory:")) << scene_->job().process().errors();
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

/// A fault, and whether it ends the mpirun under way by itself.
struct Step {
  const char* fault;
  bool ends = false;
};

std::string name_of(const testing::TestParamInfo<Step>& one) {
  std::string name = one.param.fault;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

void PrintTo(const Step& step, std::ostream* out) { *out << step.fault; }

class KeeperFaultTest : public KeeperTest, public testing::WithParamInterface<Step> {};

/// Afterwards there is a complete set to go on from, and the next ones are made as before.
TEST_P(KeeperFaultTest, ASetIsLeftToGoOnFrom) {
  const Folder folder;
  const std::string record = folder.file("struck");
  start({std::string("CPPC_FAULT=") + GetParam().fault, "CPPC_FAULT_RECORD=" + record});
  const auto struck = [&] { return std::filesystem::exists(record); };
  if (!GetParam().ends) {
    ASSERT_TRUE(await([&] { return struck() || said("checkpoint memory:4:"); }));
    const std::size_t seen = scene_->job().process().errors().size();
    ASSERT_TRUE(await([&] { return contains(scene_->job().process().errors().substr(seen), "checkpoint memory:"); }))
        << scene_->job().process().errors();
    power_off("node1");
  }
  expect_recovery_from("memory:");
  EXPECT_TRUE(struck()) << "the fault has not struck";
  expect_same_answer(*scene_);
}

INSTANTIATE_TEST_SUITE_P(Each, KeeperFaultTest,
                         testing::Values(Step{"keeper-begin:kill:2"}, Step{"keeper-make:kill:3"},
                                         Step{"keeper-copy:kill:3"}, Step{"keeper-copy:enomem:3"},
                                         Step{"keeper-receive:kill:3"}, Step{"keeper-receive:enospc:3"},
                                         Step{"keeper-complete:kill:2"}, Step{"keeper-locate:kill"},
                                         Step{"keeper-find:kill"}, Step{"saver-copy:kill:2", true},
                                         Step{"saver-write:kill:2", true}),
                         name_of);

}  // namespace
}  // namespace cppc::test
