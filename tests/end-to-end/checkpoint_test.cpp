/// Checkpoints of real jobs on emulated nodes: made while the job works, what becomes of a job that is restarted from
/// one, and of one that loses a node.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "expectations.hpp"
#include "scene.hpp"
#include "secrets.hpp"

namespace cppc::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFourOnTwo{"-H", "node0:2,node1:2", "-n", "4"};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> operator+(std::vector<std::string> left, const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// Options of a job of four ranks that is started again once, from what it has in `directory`.
std::vector<std::string> recovering(const std::string& every, const std::string& directory, const std::string& hosts) {
  return {"--checkpoint-every", every, "--checkpoint-to", directory, "--recover", "1", "-H", hosts, "-n", "4"};
}

Finished verify(const std::string& directory) { return run({tool("cppc-image"), "verify", directory}); }

TEST(CheckpointTest, IsMadeWhileTheJobWorks) {
  const Folder folder;
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:2", "-n", "4"});
  for (const char* number : {"1", "2", "3"}) {
    const Finished made = scene.job().migrate({"checkpoint", "--to", folder.file("heat")});
    expect_done(made);
    const std::string directory = folder.file("heat/") + number;
    EXPECT_TRUE(contains(made.output, directory)) << made.output;
    const Finished verified = verify(directory);
    EXPECT_EQ(verified.status, 0) << verified.output << verified.errors;
  }
  EXPECT_FALSE(fs::exists(folder.file("heat/1"))) << "the last two are kept";
  EXPECT_TRUE(fs::exists(folder.file("heat/2/manifest.json")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.file("heat")), fs::directory_iterator()), 2)
      << "nothing else is left there";
  expect_done(scene.job().migrate({"--rank", "1", "--to", "node2"}));
  expect_done(scene.job().migrate({"checkpoint", "--to", folder.file("heat")}));
  expect_same_answer(scene);
}

TEST(CheckpointTest, NeedsADirectory) {
  HeatScene scene(2, kFourOnTwo);
  const Finished nowhere = scene.job().migrate({"checkpoint"});
  EXPECT_EQ(nowhere.status, 3) << nowhere.output << nowhere.errors;
  EXPECT_TRUE(contains(nowhere.errors, "--checkpoint-to")) << nowhere.errors;
  expect_same_answer(scene);
}

/// What stands in the way is found when the job works again; it goes on, and later there is a checkpoint.
TEST(CheckpointTest, NamesWhatCannotBeCarriedOver) {
  const Cluster cluster(2);
  const Folder folder;
  std::ofstream(folder.file("held")).flush();
  Job job(cluster, kFourOnTwo, {tool("outward"), folder.file("held"), folder.file("stop")});
  job.await_running();
  const Finished refused = job.migrate({"checkpoint", "--to", folder.file("outward")});
  EXPECT_NE(refused.status, 0) << refused.output;
  EXPECT_TRUE(contains(refused.errors, "the variable of_the_system+0 holds the address 0x7")) << refused.errors;
  fs::remove(folder.file("held"));
  Finished made = refused;
  for (int i = 0; made.status != 0 && i < 50; ++i)  // until the program has noticed
    made = job.migrate({"checkpoint", "--to", folder.file("outward")});
  expect_done(made);
  std::ofstream(folder.file("stop")).flush();
  expect_done(job.wait());
}

/// As that of a server which is gone.
TEST(CheckpointTest, StorageThatNeverAnswersDoesNotHoldTheJob) {
  const Cluster cluster(2);
  const Folder folder;
  Job job(cluster, kFourOnTwo,
          {app("heat"), "--quiet", "--until", folder.file("stop"), "--pause-us", "5000", "--mb", "2"},
          {"CPPC_DEADLINE_SHIP=1", "CPPC_FAULT=saver-write:hang", "CPPC_FAULT_RECORD=" + folder.file("struck")});
  job.await_running();
  const Finished given_up = job.migrate({"checkpoint", "--to", folder.file("checkpoints")});
  EXPECT_NE(given_up.status, 0) << given_up.output;
  EXPECT_TRUE(fs::exists(folder.file("struck")));
  std::ofstream(folder.file("stop")).flush();
  expect_done(job.wait());
}

/// A solver on some nodes, which is ended after a checkpoint.
class RestartTest : public testing::Test {
 protected:
  RestartTest() {
    Job job(cluster_, kFourOnTwo, heat());
    job.await_running();
    expect_done(job.migrate({"checkpoint", "--to", checkpoints_}));
    job.end();
    (void)job.wait();
  }
  [[nodiscard]] std::vector<std::string> heat() const {
    return std::vector<std::string>{app("heat"), "--quiet", "--until", folder_.file("stop"), "--pause-us", "5000"} +
           options_;
  }
  [[nodiscard]] Finished refused(const std::vector<std::string>& placement, const std::vector<std::string>& program) {
    Job job(cluster_, std::vector<std::string>{"--restart", checkpoints_} + placement, program);
    return job.wait();
  }

  const Folder folder_;
  const std::string checkpoints_ = folder_.file("checkpoints");
  const std::vector<std::string> options_{"--mb", "2"};
  const Cluster cluster_{4};
};

TEST_F(RestartTest, GoesOnOnOtherNodesAndMovesThere) {
  Job job(cluster_, {"--restart", checkpoints_, "-H", "node1:1,node2:3,node3:2"}, heat());
  job.await_running();
  EXPECT_EQ(job.node_of(3), "node2");
  expect_done(job.migrate({"--rank", "3", "--to", "node3"}));
  expect_done(job.migrate({"checkpoint", "--to", checkpoints_}));
  std::ofstream(folder_.file("stop")).flush();
  const Answer answer = heat_answer(job.wait());
  EXPECT_EQ(answer.status, 0) << answer.errors;
  ASSERT_FALSE(answer.checksum.empty());
  EXPECT_EQ(answer.checksum, undisturbed_heat(cluster_, "4", options_, answer).checksum);
}

TEST_F(RestartTest, MayBeByAScriptThatStartsTheProgram) {
  std::ofstream(folder_.file("start")) << "#!/bin/sh\nexec " << app("heat") << " \"$@\"\n";
  fs::permissions(folder_.file("start"), fs::perms::owner_all);
  std::vector<std::string> started = heat();
  started.front() = folder_.file("start");
  Job job(cluster_, {"--restart", checkpoints_, "-H", "node2:4"}, started);
  job.await_running();
  std::ofstream(folder_.file("stop")).flush();
  EXPECT_EQ(job.wait().status, 0);
}

TEST_F(RestartTest, IsRefusedByName) {
  const Finished other_number = refused({"-H", "node0:4", "-n", "3"}, heat());
  EXPECT_NE(other_number.status, 0);
  EXPECT_TRUE(contains(other_number.errors, "is of 4 ranks, and cannot be restarted with 3")) << other_number.errors;
  const Finished unclear = refused({"-H", "node0:4"}, heat() + std::vector<std::string>{":"} + heat());
  EXPECT_NE(unclear.status, 0);
  EXPECT_TRUE(contains(unclear.errors, "Say it with -n: ")) << unclear.errors;
  const Finished other_program = refused({"-H", "node0:4", "-n", "4"}, {app("storm")});
  EXPECT_NE(other_program.status, 0);
  EXPECT_TRUE(contains(other_program.errors, "is not the program that rank 0")) << other_program.errors;
  std::fstream image(checkpoints_ + "/1/rank2.h5", std::ios::in | std::ios::out | std::ios::binary);
  image.seekp(-20000, std::ios::end);
  image.write("damage", 6);
  image.close();
  const Finished damaged = refused({"-H", "node0:4", "-n", "4"}, heat());
  EXPECT_NE(damaged.status, 0);
  EXPECT_TRUE(contains(damaged.errors, "rank2.h5 is damaged")) << damaged.errors;
  const Finished verified = verify(checkpoints_);
  EXPECT_EQ(verified.status, 1);
  EXPECT_TRUE(contains(verified.errors, "rank2.h5 has another checksum")) << verified.errors;
  fs::remove(checkpoints_ + "/1/rank1.h5");
  const Finished incomplete = refused({"-H", "node0:4", "-n", "4"}, heat());
  EXPECT_NE(incomplete.status, 0);
  EXPECT_TRUE(contains(incomplete.errors, "rank1.h5 is not there")) << incomplete.errors;
}

std::vector<int> numbers_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istream_iterator<int>(file), std::istream_iterator<int>()};
}

void await_more_than(const std::string& path, std::size_t lines) {
  for (int tries = 0; tries < 6000 && numbers_in(path).size() <= lines; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

/// Lines of which the image does not know are cut off, and written again by the program, once.
TEST(RestartedFilesTest, HaveEachLineThatTheProgramAppendsOnce) {
  const Folder folder;
  const Cluster cluster(2);
  const std::string both = folder.file("both"), checkpoints = folder.file("checkpoints");
  const std::vector<std::string> program{tool("log_lines"), folder.file(""), folder.file("stop")};
  Job first(cluster, kFourOnTwo, program);
  first.await_running();
  await_more_than(both, 10);
  expect_done(first.migrate({"checkpoint", "--to", checkpoints}));
  await_more_than(both, numbers_in(both).size() + 10);
  first.end();
  (void)first.wait();
  const std::size_t before = numbers_in(both).size();
  Job second(cluster, std::vector<std::string>{"--restart", checkpoints} + kFourOnTwo, program);
  second.await_running();
  await_more_than(both, before);
  std::ofstream(folder.file("stop")).flush();
  expect_done(second.wait());
  for (const char* name : {"both", "rank0", "rank1", "rank2", "rank3"}) {
    const std::vector<int> lines = numbers_in(folder.file(name));
    std::vector<int> expected(lines.size());
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_GT(lines.size(), before) << name;
    EXPECT_EQ(lines, expected) << name;
  }
}

/// Waits until there is a checkpoint other than `known`; its number.
std::string await_checkpoint(const std::string& directory, const std::string& known = "") {
  for (int tries = 0; tries < 6000; ++tries) {
    std::error_code none;
    for (const auto& one : fs::directory_iterator(directory, none)) {
      const std::string name = one.path().filename();
      if (!name.starts_with('.') && name > known) return name;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "no checkpoint in " << directory;
  return known;
}

/// Which the system has chosen, and cppc-run has told; empty: it has not.
std::string network_port(const std::string& errors) {
  const std::string before = "requests over the network: 127.0.0.1 port ";
  const auto found = errors.find(before);
  if (found == std::string::npos) return "";
  const auto begin = found + before.size();
  return errors.substr(begin, errors.find('\n', begin) - begin);
}

TEST(RecoveryTest, AJobThatLosesANodeGoesOnFromItsLastCheckpoint) {
  const Folder folder;
  const Secrets secrets;
  const std::string checkpoints = folder.file("checkpoints");
  HeatScene scene(4,
                  {"--listen", "127.0.0.1:0", "--tls-cert", secrets.certificate(), "--tls-key", secrets.key(),
                   "--token-file", secrets.token(), "--checkpoint-every", "1s", "--checkpoint-to", checkpoints,
                   "--recover", "2", "-H", "node0:2,node1:2,node2:2", "-n", "4"},
                  {"--mb", "2"}, {"CPPC_LOG=info"});
  await_checkpoint(checkpoints);
  const std::string port = network_port(scene.job().process().errors());
  ASSERT_FALSE(port.empty()) << scene.job().process().errors();
  scene.cluster().off("node1");
  const auto restarted = [&] { return contains(scene.job().process().errors(), "it is started again from"); };
  while (scene.job().process().running() && !restarted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  scene.job().await_running();
  EXPECT_EQ(scene.job().node_of(2), "node2");
  const Finished asked =
      scene.cluster().run("head", std::vector<std::string>{tool("migrate"), "status"} + secrets.of_client(port));
  EXPECT_EQ(asked.status, 0) << "operators ask at the same port as before: " << asked.errors;
  expect_same_answer(scene);
}

/// The first agent of a node is the guardian of the other one.
TEST(RecoveryTest, AJobThatLosesAGuardianGoesOnFromItsLastCheckpoint) {
  const Folder folder;
  const std::string checkpoints = folder.file("checkpoints");
  HeatScene scene(3, recovering("1s", checkpoints, "node0:2,node1:2,node2:2"), {"--mb", "2"});
  await_checkpoint(checkpoints);
  const auto agents = scene.cluster().processes("node2", tool("cppc-agent"));
  ASSERT_EQ(agents.size(), 2U) << "a guardian and its agent";
  (void)scene.cluster().run("node2", {"kill", "-KILL", std::to_string(*std::ranges::min_element(agents))});
  const auto restarted = [&] { return contains(scene.job().process().errors(), "it is started again from"); };
  while (scene.job().process().running() && !restarted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  scene.job().await_running();
  expect_same_answer(scene);
}

/// Of the third: then there are two that count.
TEST(RecoveryTest, ADeathInTheMiddleOfACheckpointLeavesTheOneBefore) {
  const Folder folder;
  const std::string checkpoints = folder.file("checkpoints");
  HeatScene scene(2, recovering("1s", checkpoints, "node0:2,node1:2"), {"--mb", "2"},
                  {"CPPC_FAULT=saver-write:kill:3", "CPPC_FAULT_RECORD=" + folder.file("struck")});
  const auto restarted = [&] {
    return contains(scene.job().process().errors(), "it is started again from " + checkpoints + "/2");
  };
  while (scene.job().process().running() && !restarted()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  scene.job().await_running();
  await_checkpoint(checkpoints, "2");
  expect_same_answer(scene);
  for (const auto& one : fs::directory_iterator(checkpoints))
    EXPECT_EQ(verify(one.path()).status, 0) << one.path() << " is no checkpoint";
}

/// An agent that dies while a collective operation is withdrawn, and what is asked for then. `substituted`: the first
/// agent of node1 has died before.
struct Withdrawal {
  const char* fault;
  std::vector<std::string> request{"--rank", "0", "--to", "node2"};
  const char* hosts = "node0:2,node1:2,node2:4";
  bool substituted = false;
};

void PrintTo(const Withdrawal& one, std::ostream* out) { *out << one.fault; }

class WithdrawalTest : public testing::TestWithParam<Withdrawal> {};

void lose_agent_of_node1(const Cluster& cluster, Job& job) {
  const auto agents = cluster.processes("node1", tool("cppc-agent"));
  ASSERT_EQ(agents.size(), 2U) << "a guardian and its agent";
  (void)cluster.run("node1", {"kill", "-KILL", std::to_string(*std::ranges::max_element(agents))});
  while (job.process().running() && !contains(job.status().dump(), "leave-only"))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// Those outside cannot know whether others have taken part.
TEST_P(WithdrawalTest, AJobThatLosesAnAgentMeanwhileIsStartedAgain) {
  const Folder folder;
  const Cluster cluster(3);
  Job job(cluster, recovering("1h", folder.file("checkpoints"), GetParam().hosts),
          {tool("late_rank"), folder.file("go")},
          {std::string("CPPC_FAULT=") + GetParam().fault, "CPPC_FAULT_RECORD=" + folder.file("struck")});
  job.await_running();
  while (job.process().running() && !contains(job.process().output(), "round 0: rank 0 computes"))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (GetParam().substituted) lose_agent_of_node1(cluster, job);
  EXPECT_NE(job.migrate(GetParam().request).status, 0);
  while (job.process().running() && !contains(job.process().errors(), "from its beginning"))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(fs::exists(folder.file("struck")));
  EXPECT_TRUE(contains(job.process().errors(), "while a collective operation was being withdrawn"));
  for (int round = 0; round < 13; ++round) std::ofstream(folder.file("go." + std::to_string(round))).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_TRUE(contains(finished.output, "0 wrong")) << finished.output;
}

INSTANTIATE_TEST_SUITE_P(Each, WithdrawalTest,
                         testing::Values(Withdrawal{"source-agent-withdraw:kill"},
                                         Withdrawal{"other-agent-withdraw:kill"},
                                         Withdrawal{"target-agent-withdraw:kill"},
                                         Withdrawal{.fault = "substitute-withdraw:kill", .substituted = true},
                                         Withdrawal{"saving-agent-withdraw:kill", {"checkpoint"}, "node0:2,node1:2"}),
                         [](const auto& info) {
                           const std::string fault = info.param.fault;
                           std::string role = fault.substr(0, fault.find("-withdraw"));
                           std::ranges::replace(role, '-', '_');
                           return role;
                         });

TEST(RecoveryTest, AJobWhoseRankDiesAgainAndAgainIsGivenUp) {
  const Folder folder;
  HeatScene scene(2, recovering("1h", folder.file("checkpoints"), "node0:2,node1:2"));
  const auto kill_a_rank = [&] {
    const auto ranks = scene.cluster().processes("node0", app("heat"));
    ASSERT_FALSE(ranks.empty());
    (void)scene.cluster().run("node0", {"kill", "-KILL", std::to_string(ranks.front())});
  };
  kill_a_rank();
  while (scene.job().process().running() && !contains(scene.job().process().errors(), "from its beginning"))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  scene.job().await_running();
  kill_a_rank();
  const Finished finished = scene.job().wait();
  EXPECT_EQ(finished.status, 137) << finished.errors;
  EXPECT_TRUE(contains(finished.errors, "is not started again")) << finished.errors;
}

}  // namespace
}  // namespace cppc::test
