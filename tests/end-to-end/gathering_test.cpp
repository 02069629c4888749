/// Checkpoints of real jobs in a directory that only the machine of cppc-run has: images come there from the nodes, and
/// go to others when the job is restarted.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "expectations.hpp"
#include "scene.hpp"

namespace cppc::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

const std::vector<std::string> kFourOnTwo{"-H", "node0:2,node1:2", "-n", "4"};
const std::string kOfTheHead = "/tmp/of-the-head";  // each node has a /tmp of its own

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// What is in the head's directory, by name; also what begins with a dot.
std::string listing(const Cluster& cluster) { return cluster.run("head", {"ls", "-A", "-v", kOfTheHead}).output; }

void expect_good(const Cluster& cluster, const std::string& number) {
  const Finished verified = cluster.run("head", {tool("cppc-image"), "verify", kOfTheHead + "/" + number});
  EXPECT_EQ(verified.status, 0) << verified.output << verified.errors;
}

/// Keepers are told to drop a set when all is done.
void expect_no_image_in_memory(const Cluster& cluster, const std::string& node) {
  const auto keepers = cluster.processes(node, tool("cppc-keeper"));
  ASSERT_EQ(keepers.size(), 1U) << node;
  const std::string maps = "/proc/" + std::to_string(keepers.front()) + "/maps";
  Finished found;
  for (int tries = 0; found.status != 1 && tries < 200; ++tries, std::this_thread::sleep_for(50ms))
    found = cluster.run(node, {"grep", "memfd:cppc-image", maps});
  EXPECT_EQ(found.status, 1) << found.output << found.errors;
}

TEST(GatheringTest, BringsImagesToTheOnlyNodeThatSeesTheDirectory) {
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:2", "-n", "4"});
  for (const char* number : {"1", "2", "3"}) {
    const Finished made = scene.job().migrate({"checkpoint", "--to", kOfTheHead});
    expect_done(made);
    EXPECT_TRUE(contains(made.output, "other nodes do not see " + kOfTheHead + ": the images are gathered on head"))
        << made.output;
    expect_good(scene.cluster(), number);
  }
  EXPECT_EQ(listing(scene.cluster()), "2\n3\n") << "the last two are kept, and nothing else is left there";
  for (const char* node : {"node0", "node1", "node2"}) expect_no_image_in_memory(scene.cluster(), node);
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_done(scene.job().migrate({"checkpoint", "--to", kOfTheHead}));
  expect_same_answer(scene);
}

TEST(GatheringTest, RefusesADirectoryThatOnlySomeNodesSee) {
  const Folder folder;
  HeatScene scene(2, kFourOnTwo);
  const Finished hidden = scene.cluster().run("node1", {"mount", "-t", "tmpfs", "tmpfs", folder.file("")});
  ASSERT_EQ(hidden.status, 0) << hidden.errors;
  const Finished refused = scene.job().migrate({"checkpoint", "--to", folder.file("some")});
  EXPECT_EQ(refused.status, 1) << refused.output << refused.errors;
  EXPECT_TRUE(contains(refused.errors, "node1 does not see the directory")) << refused.errors;
  expect_same_answer(scene);
}

TEST(GatheringTest, LeavesTheOlderCheckpointWhereStorageIsFull) {
  HeatScene scene(2, kFourOnTwo);
  const auto on_head = [&](const std::string& command) {
    const Finished done = scene.cluster().run("head", {"sh", "-c", command});
    EXPECT_EQ(done.status, 0) << command << ": " << done.errors;
  };
  on_head("mkdir " + kOfTheHead + " && mount -t tmpfs -o size=64m tmpfs " + kOfTheHead);
  expect_done(scene.job().migrate({"checkpoint", "--to", kOfTheHead}));
  const std::string filler = kOfTheHead + "/filler";
  on_head("! head -c 100M /dev/zero >" + filler + " && truncate -s -128K " + filler);
  const Finished failed = scene.job().migrate({"checkpoint", "--to", kOfTheHead});
  EXPECT_EQ(failed.status, 1) << failed.output << failed.errors;
  EXPECT_TRUE(contains(failed.errors, "No space left on device")) << failed.errors;
  on_head("rm " + filler);
  EXPECT_EQ(listing(scene.cluster()), "1\n");
  expect_good(scene.cluster(), "1");
  for (const char* node : {"node0", "node1"}) expect_no_image_in_memory(scene.cluster(), node);
  expect_done(scene.job().migrate({"checkpoint", "--to", kOfTheHead}));
  EXPECT_EQ(listing(scene.cluster()), "1\n2\n");
  expect_same_answer(scene);
}

/// While its images are on their way to the head, in the second checkpoint.
TEST(GatheringTest, AJobThatLosesANodeMeanwhileGoesOnFromTheOlderCheckpoint) {
  const Folder folder;
  const std::string struck = folder.file("struck");
  HeatScene scene(3,
                  {"--checkpoint-every", "1s", "--checkpoint-to", kOfTheHead, "--recover", "1", "-H",
                   "node0:2,node1:2,node2:2", "-n", "4"},
                  {"--mb", "2"}, {"CPPC_FAULT=keeper-give:hang:3", "CPPC_FAULT_RECORD=" + struck});
  Process& run = scene.job().process();
  while (run.running() && !fs::exists(struck)) std::this_thread::sleep_for(10ms);
  scene.cluster().off("node0");
  while (run.running() && !contains(run.errors(), "it is started again from " + kOfTheHead + "/1,"))
    std::this_thread::sleep_for(20ms);
  scene.job().await_running();
  EXPECT_TRUE(contains(run.errors(), "other nodes do not see " + kOfTheHead)) << run.errors();
  EXPECT_EQ(scene.job().node_of(0), "node2");
  while (run.running() && !contains(listing(scene.cluster()), "\n3\n")) std::this_thread::sleep_for(50ms);
  expect_good(scene.cluster(), "3");
  expect_same_answer(scene);
}

/// A solver that has been ended after a checkpoint on the head's own disk.
class GatheredRestartTest : public testing::Test {
 protected:
  GatheredRestartTest() {
    Job job(cluster_, kFourOnTwo, heat());
    job.await_running();
    expect_done(job.migrate({"checkpoint", "--to", kOfTheHead}));
    job.end();
    (void)job.wait();
  }
  [[nodiscard]] std::vector<std::string> heat() const {
    return {app("heat"), "--quiet", "--until", folder_.file("stop"), "--pause-us", "5000", "--mb", "2"};
  }

  const Folder folder_;
  const Cluster cluster_{4};
};

TEST_F(GatheredRestartTest, SendsImagesToOtherNodes) {
  Job job(cluster_, {"--restart", kOfTheHead, "-H", "node1:1,node2:3,node3:2"}, heat());
  job.await_running();
  EXPECT_TRUE(contains(job.process().errors(), "its images are sent to the nodes")) << job.process().errors();
  EXPECT_EQ(job.node_of(3), "node2");
  for (const char* node : {"node1", "node2", "node3"}) expect_no_image_in_memory(cluster_, node);
  expect_done(job.migrate({"--rank", "3", "--to", "node3"}));
  expect_done(job.migrate({"checkpoint", "--to", kOfTheHead}));
  EXPECT_EQ(listing(cluster_), "1\n2\n");
  std::ofstream(folder_.file("stop")).flush();
  const Answer answer = heat_answer(job.wait());
  EXPECT_EQ(answer.status, 0) << answer.errors;
  ASSERT_FALSE(answer.checksum.empty());
  EXPECT_EQ(answer.checksum, undisturbed_heat(cluster_, "4", {"--mb", "2"}, answer).checksum);
}

/// The node that is to have all ranks has another checkpoint in the same place.
TEST_F(GatheredRestartTest, TakesNoOtherCheckpointForTheSame) {
  const Finished other = cluster_.run(
      "node3", {"sh", "-c", "mkdir -p " + kOfTheHead + "/1 && echo other >" + kOfTheHead + "/1/manifest.json"});
  ASSERT_EQ(other.status, 0) << other.errors;
  Job job(cluster_, {"--restart", kOfTheHead, "-H", "node3:4"}, heat());
  job.await_running();
  EXPECT_TRUE(contains(job.process().errors(), "node3 does not have " + kOfTheHead + "/1")) << job.process().errors();
  std::ofstream(folder_.file("stop")).flush();
  expect_done(job.wait());
}

TEST_F(GatheredRestartTest, RefusesADamagedImageByName) {
  const std::string image = kOfTheHead + "/1/rank2.h5";
  const Finished damaged = cluster_.run(
      "head",
      {"sh", "-c", "printf damage | dd conv=notrunc bs=1 seek=$(($(stat -c %s " + image + ") - 20000)) of=" + image});
  ASSERT_EQ(damaged.status, 0) << damaged.errors;
  Job job(cluster_, {"--restart", kOfTheHead, "-H", "node0:4", "-n", "4"}, heat());
  const Finished refused = job.wait();
  EXPECT_NE(refused.status, 0);
  EXPECT_TRUE(contains(refused.errors, "rank 2 is not there")) << refused.errors;
  EXPECT_TRUE(contains(refused.errors, "another checksum")) << refused.errors;
}

}  // namespace
}  // namespace cppc::test
