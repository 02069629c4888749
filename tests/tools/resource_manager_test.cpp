/// Jobs of resource managers, with commands of Slurm that are a script of the test.
#include "resource_manager/resource_manager.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "temporary_directory.hpp"

namespace cppc::run {
namespace {

using Nodes = std::vector<AllocatedNode>;
using Lines = std::vector<std::string>;
namespace fs = std::filesystem;

// A job on node0 to node2 whose nodes are in a file; an update has to name what is left of it. What it is asked is
// written down.
constexpr const char* commands = R"sh(cd "$(dirname "$0")"
echo "$*" >>asked; env | grep SLURM >>variables
case "$*" in
  "show hostnames node[0-2]") printf 'node0\nnode1\nnode2\n' ;;
  "show hostnames nodes.file") cat nodes ;;
  "show hostnames node0.site") echo node0.site ;;
  "--steps --noheader --jobs=17 --nodelist="*) cat steps ;;
  "--signal=KILL 17.0") sed -i /17.0/d steps ;;
  "--noheader --jobs=17 "*)
    test -e silent && sleep 100
    test ! -e away || { echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; }
    case "$3" in
      --format=%k) cat comment ;;
      --format=*) echo "nodes.file|node0" ;;
      --Format=*) echo "$(cat batch)         " ;;
    esac ;;
  "update jobid=17 comment="*) echo "$*" | sed s/.*comment=// >comment ;;
  update*)
    test ! -e failure || { cat failure >&2; exit 1; }
    test -e stubborn || echo "$3" | sed s/NodeList=// | tr , '\n' >nodes ;;
  *) exit 2 ;;
esac)sh";

class ResourceManagerTest : public testing::Test {
 protected:
  ResourceManagerTest() : path_(std::getenv("PATH")) {
    for (const char* name : {"scontrol", "squeue", "scancel"}) directory_.script(name, commands);
    directory_.write("nodes", "node0\nnode1\nnode2\n");
    directory_.write("batch", "0");
    directory_.write("steps", "17.extern|extern\n17.0|app-1\n");
    setenv("PATH", (directory_.path() + ":" + path_).c_str(), 1);
  }
  ~ResourceManagerTest() override { setenv("PATH", path_.c_str(), 1); }

  static Machine machine(const std::string& name = "head") {
    return {name, [name](const std::string& other) { return other == name; }, 4};
  }
  static Environment salloc(const std::string& tasks = "2(x2),1") {
    return {{"SLURM_JOB_ID", "17"},
            {"SLURM_JOB_NODELIST", "node[0-2]"},
            {"SLURM_TASKS_PER_NODE", tasks},
            {"SLURM_JOB_CPUS_PER_NODE", "4(x3)"}};
  }
  static Environment with(Environment environment, const Environment& more) {
    for (const auto& [name, value] : more) environment[name] = value;
    return environment;
  }
  static std::string refusal(const Environment& present) {
    const auto manager = find_resource_manager(present, machine());
    EXPECT_FALSE(manager.has_value());
    return manager ? "" : manager.error();
  }
  static std::unique_ptr<ResourceManager> find(const Environment& present, const std::string& own = "head") {
    auto manager = find_resource_manager(present, machine(own));
    EXPECT_TRUE(manager.has_value()) << manager.error();
    return manager ? *std::move(manager) : nullptr;
  }
  Release release(const std::string& node, const std::string& own = "head") {
    return find(salloc(), own)->release(node, "app-1", {});
  }
  Lines lines(const std::string& file) const {
    std::ifstream stream(directory_.path() + "/" + file);
    Lines all;
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
  }

  test::TemporaryDirectory directory_;
  const std::string path_;
};

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
}

TEST_F(ResourceManagerTest, ThereIsNoneWithoutTheirVariables) {
  EXPECT_EQ(find({{"HOME", "/"}}), nullptr);
  expect_contains(refusal({{"PE_HOSTFILE", "/x"}}), "PE_HOSTFILE");
  expect_contains(refusal({{"LSB_JOBID", "3"}}), "LSB_JOBID");
}

TEST_F(ResourceManagerTest, SlurmTellsNodesAndSlots) {
  const auto manager = find(with(salloc(), {{"SLURM_NTASKS", "5"}}));
  EXPECT_EQ(manager->nodes(), (Nodes{{"node0", 2}, {"node1", 2}, {"node2", 1}}));
  EXPECT_EQ(manager->ranks(), 5);
  EXPECT_EQ(manager->name(), "Slurm's job 17");
  EXPECT_TRUE(manager->hides("SLURM_JOB_ID"));
  EXPECT_FALSE(manager->hides("SLURM_CONF")) << "Slurm's commands need it";
  EXPECT_FALSE(manager->hides("HOME"));
}

TEST_F(ResourceManagerTest, WithoutTasksProcessorsAreSlots) {
  Environment present = salloc();
  present.erase("SLURM_TASKS_PER_NODE");
  const auto manager = find(present);
  EXPECT_EQ(manager->nodes(), (Nodes{{"node0", 4}, {"node1", 4}, {"node2", 4}}));
  EXPECT_EQ(manager->ranks(), std::nullopt);
}

TEST_F(ResourceManagerTest, NodesThatHaveLeftTheJobSinceAreNotItsAnyMore) {
  directory_.write("nodes", "node0\nnode2\n");
  EXPECT_EQ(find(salloc())->nodes(), (Nodes{{"node0", 2}, {"node2", 1}}));
  directory_.write("nodes", "node7\n");
  expect_contains(refusal(salloc()), "none of the nodes");
  directory_.write("away", "");
  expect_contains(refusal(salloc()), "Unable to contact slurm controller");
}

TEST_F(ResourceManagerTest, SlotsThatAreNotThoseOfTheNodesAreRefused) {
  for (const char* tasks :
       {"", "2", "2(x4)", "2(x3", "2(x),1", "2(xx2),1", "0(x3)", "-1(x3)", "2(x99999999999)", "a,b,c"})
    expect_contains(refusal(salloc(tasks)), "SLURM_TASKS_PER_NODE");
}

TEST_F(ResourceManagerTest, StepsOfSrunAreRefused) {
  expect_contains(refusal(with(salloc(), {{"SLURM_STEP_ID", "0"}})), "srun");
  find(with(salloc(), {{"SLURM_STEP_ID", "4294967291"}}));  // a batch script
  find(with(salloc(), {{"SLURM_STEP_ID", "4294967290"}}));  // salloc's shell
}

TEST_F(ResourceManagerTest, WhatItCannotWorkInIsRefusedByName) {
  expect_contains(refusal(with(salloc(), {{"SLURM_HET_SIZE", "2"}})), "heterogeneous");
  expect_contains(refusal(with(salloc(), {{"SLURM_JOB_NODELIST", ""}})), "SLURM_JOB_NODELIST");
  expect_contains(refusal(with(salloc(), {{"SLURM_JOB_NODELIST", "no[1"}})), "scontrol has failed");
  expect_contains(refusal(with(salloc("1"), {{"SLURM_JOB_NODELIST", "node0.site"}})), "node0.site");
  fs::remove(directory_.path() + "/scontrol");
  if (std::system("command -v scontrol >/dev/null") != 0) expect_contains(refusal(salloc()), "cannot run scontrol");
}

TEST_F(ResourceManagerTest, SlurmLetsGoOfANode) {
  const auto manager = find(salloc());
  const Release done = manager->release("node1", "app-1", {});
  EXPECT_EQ(done.state, Release::State::released) << done.text;
  EXPECT_EQ(lines("nodes"), (Lines{"node0", "node2"}));
  EXPECT_EQ(manager->release("node1", "app-1", {}).state, Release::State::released) << "it has gone already";
  Lines asked = lines("asked");
  EXPECT_EQ(std::ranges::count(asked, "update jobid=17 NodeList=node0,node2"), 1);
}

TEST_F(ResourceManagerTest, ANodeWithOtherStepsStays) {
  directory_.write("steps", "17.0|app-1\n17.4|database\n");
  const auto manager = find(salloc());
  std::stop_source stop;
  std::jthread waiting([&] {
    const Release asked = manager->release("node1", "app-1", stop.get_token());
    EXPECT_EQ(asked.state, Release::State::kept);
  });
  while (lines("steps") != Lines{"17.4|database"}) std::this_thread::yield();  // its own daemon has been ended
  stop.request_stop();
  waiting.join();
  EXPECT_EQ(lines("nodes").size(), 3U);
}

TEST_F(ResourceManagerTest, ANodeIsReleasedWhenOtherStepsHaveEnded) {
  directory_.write("steps", "17.4|other-2\n");
  std::jthread waiting([&] { EXPECT_EQ(release("node1").state, Release::State::released); });
  while (lines("asked").size() < 8) std::this_thread::yield();
  directory_.write("steps", "");
  waiting.join();
  EXPECT_EQ(lines("nodes"), (Lines{"node0", "node2"}));
}

TEST_F(ResourceManagerTest, SlurmsCommandsDoNotGetTheJobsVariables) {
  setenv("SLURM_JOBID", "17", 1);
  setenv("SLURM_CONF", "/etc/slurm.conf", 1);
  release("node1");
  unsetenv("SLURM_JOBID");
  unsetenv("SLURM_CONF");
  const Lines variables = lines("variables");
  EXPECT_EQ(std::ranges::count(variables, "SLURM_JOBID=17"), 0);
  EXPECT_GT(std::ranges::count(variables, "SLURM_CONF=/etc/slurm.conf"), 0);
}

TEST_F(ResourceManagerTest, TheBatchHostCannotGo) {
  directory_.write("batch", "1");
  const Release asked = release("node0", "node0");
  EXPECT_EQ(asked.state, Release::State::batch_host);
  expect_contains(asked.text, "the batch script of Slurm's job 17 runs here");
  EXPECT_EQ(release("node1", "node0").state, Release::State::released);
  directory_.write("failure", "slurm_update error: You cannot remove the batch host from a job when resizing\n");
  EXPECT_EQ(release("node2").state, Release::State::batch_host);
}

TEST_F(ResourceManagerTest, TheNodeOfCppcRunStays) {
  EXPECT_EQ(release("node0", "node0").state, Release::State::kept);
  EXPECT_EQ(lines("nodes").size(), 3U);
}

TEST_F(ResourceManagerTest, WithoutAccountingThereIsNoSecondRelease) {
  directory_.write("failure",
                   "Job update not available right now, the DB index is being set, try again in a bit for job 17\n");
  const Release asked = release("node1");
  EXPECT_EQ(asked.state, Release::State::no_second);
  expect_contains(asked.text, "slurmdbd");
  expect_contains(asked.text, "--no-kill");
}

TEST_F(ResourceManagerTest, OtherFailuresAreTold) {
  directory_.write("failure", "slurm_update error: Access/permission denied\nmore\n");
  expect_contains(release("node1").text, "Access/permission denied; ");
  fs::remove(directory_.path() + "/failure");
  directory_.write("stubborn", "");
  EXPECT_EQ(release("node1").state, Release::State::kept) << "Slurm says yes, but has it still";
  const auto manager = find(salloc());
  directory_.write("away", "");
  const Release asked = manager->release("node1", "app-1", {});
  EXPECT_EQ(asked.state, Release::State::kept);
  expect_contains(asked.text, "Unable to contact slurm controller");
}

TEST_F(ResourceManagerTest, AReleaseEndsWhenItIsToStop) {
  const auto manager = find(salloc());
  directory_.write("silent", "");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(manager->release("node1", "app-1", stop.get_token()).state, Release::State::kept);
}

TEST_F(ResourceManagerTest, TheJobsCommentSaysWhereItsControllerIs) {
  const auto manager = find(salloc());
  EXPECT_EQ(manager->id(), "slurm:17");
  directory_.write("comment", "(null)\n");
  EXPECT_TRUE(manager->publish("https://a:1"));
  EXPECT_TRUE(manager->publish("https://b:2"));
  EXPECT_EQ(lines("comment"), (Lines{"cppc=https://a:1 cppc=https://b:2"}));
  EXPECT_TRUE(manager->withdraw("https://a:1"));
  EXPECT_EQ(lines("comment"), (Lines{"cppc=https://b:2"}));
  directory_.write("away", "");
  const auto failed = manager->publish("https://a:1");
  ASSERT_FALSE(failed);
  expect_contains(failed.error(), "Unable to contact slurm controller");
}

TEST_F(ResourceManagerTest, PbsTellsASlotWithEachLine) {
  const std::string file = directory_.write("hosts", "node0\nnode0\nnode1.site\nnode0\n");
  const auto manager = find({{"PBS_NODEFILE", file}, {"PBS_JOBID", "4.server"}});
  EXPECT_EQ(manager->nodes(), (Nodes{{"node0", 3}, {"node1", 1}}));
  EXPECT_EQ(manager->name(), "PBS job 4.server");
  EXPECT_TRUE(manager->launch_settings().empty()) << "ssh, as without PBS";
  EXPECT_TRUE(manager->hides("PBS_JOBID"));
  const Release asked = manager->release("node1", "app-1", {});
  EXPECT_EQ(asked.state, Release::State::kept);
  expect_contains(asked.text, "pbs_release_nodes");
  expect_contains(refusal({{"PBS_NODEFILE", "/nonexistent"}}), "/nonexistent");
  expect_contains(refusal({{"PBS_NODEFILE", "/dev/null"}}), "/dev/null");
}

}  // namespace
}  // namespace cppc::run
