/// Jobs of an ordinary user in allocations of Slurm's.
#include "slurm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "scene.hpp"

namespace cppc::test {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
}

class SlurmTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { slurm_ = new Slurm(4); }
  static void TearDownTestSuite() { delete std::exchange(slurm_, nullptr); }

  void SetUp() override {
    if (!slurm_->absence().empty()) GTEST_SKIP() << slurm_->absence();
    if (run({"test", "-x", tool("cppc-run")}).status != 0)
      GTEST_SKIP() << "users other than root cannot reach " << tool("cppc-run");
    give_to(folder_, "user1");
  }
  void TearDown() override { run({"scancel", "--user=user1"}); }

  static Process start(const Words& command, const std::string& node = "head") {
    return slurm_->start("user1", node, command);
  }
  static Finished run(const Words& command, const std::string& node = "head") { return start(command, node).wait(); }
  static Finished migrate(const Words& arguments, const std::string& node = "head") {
    return run(Words{tool("migrate")} + arguments, node);
  }
  static std::string says(const Words& command) { return run(command).output; }

  Words heat(const Words& options) const {
    return Words{tool("cppc-run")} + options +
           Words{app("heat"), "--quiet", "--mb", "2", "--pause-us", "5000", "--until", folder_.file("stop")};
  }
  // Until all ranks of its jobs are there.
  static void await_running(Process& allocation, const std::string& node = "head", std::size_t jobs = 1) {
    while (allocation.running()) {
      const auto all = nlohmann::json::parse(migrate({"status", "--json"}, node).output, nullptr, false);
      const auto runs = [](const nlohmann::json& job) { return job.value("state", "") == "running"; };
      if (all.is_array() && all.size() == jobs && std::ranges::all_of(all, runs)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << allocation.output() << allocation.errors();
  }
  static std::string job() {
    const std::string id = says({"squeue", "--noheader", "--user=user1", "--format=%A"});
    return id.substr(0, id.find('\n'));
  }
  static std::string nodes() {
    const std::string list = says({"squeue", "--noheader", "--user=user1", "--format=%N"});
    return list.substr(0, list.find('\n'));
  }
  void expect_same_answer(const Answer& answer) const {
    EXPECT_EQ(answer.status, 0) << answer.errors;
    ASSERT_FALSE(answer.checksum.empty()) << answer.errors;
    EXPECT_EQ(answer.checksum, undisturbed_heat(slurm_->cluster(), "4", {"--mb", "2"}, answer).checksum);
  }
  Answer finish(Process& allocation) const {
    std::ofstream(folder_.file("stop")).flush();
    return heat_answer(allocation.wait());
  }

  const Folder folder_;
  static inline Slurm* slurm_ = nullptr;
};

TEST_F(SlurmTest, RunsStepsOfUsersOnAllNodes) {
  std::istringstream names(says({"srun", "--nodes=4", "sh", "-c", "echo $(hostname) $(id -un)"}));
  std::set<std::string> lines;
  for (std::string line; std::getline(names, line);) lines.insert(line);
  EXPECT_EQ(lines, (std::set<std::string>{"node0 user1", "node1 user1", "node2 user1", "node3 user1"}));
  EXPECT_EQ(std::system("getent passwd user1 >/dev/null"), 2 << 8) << "users are the cluster's own";
}

TEST_F(SlurmTest, ADaemonIsAStepOnEachNodeAndNothingIsLeft) {
  Process allocation = start(Words{"salloc", "--nodes=3", "--ntasks=4"} + heat({}));
  await_running(allocation);
  const std::string steps = says({"squeue", "--steps", "--noheader", "--user=user1", "--format=%N %j"});
  for (const char* step : {"node0 heat-", "node1 heat-", "node2 heat-"}) expect_contains(steps, step);
  EXPECT_EQ(migrate({"--rank", "0", "--to", "node2"}).status, 0);
  expect_same_answer(finish(allocation));
  for (const char* node : {"node0", "node1", "node2"})
    EXPECT_TRUE(slurm_->cluster().processes(node, tool("cppc-agent")).empty()) << node;
}

TEST_F(SlurmTest, ProgramsHaveTheVariablesOfTheAllocation) {
  const std::string record = folder_.file("variables");
  std::ofstream(folder_.file("program")) << "#!/bin/sh\nenv | grep ^SLURM_ | sort >" << record
                                         << ".$OMPI_COMM_WORLD_RANK\nexec \"$@\"\n";
  std::filesystem::permissions(folder_.file("program"), std::filesystem::perms(0755));
  const std::string line = "env | grep ^SLURM_ | sort >" + record + "; exec " + tool("cppc-run") + " " +
                           folder_.file("program") + " " + app("heat") + " --quiet --mb 2 --steps 1";
  const Finished finished = run({"salloc", "--nodes=2", "--ntasks-per-node=1", "sh", "-c", line});
  EXPECT_EQ(finished.status, 0) << finished.errors;
  const auto text = [](const std::string& file) {
    std::ostringstream all;
    all << std::ifstream(file).rdbuf();
    return all.str();
  };
  expect_contains(text(record), "SLURM_JOB_NODELIST=node[0-1]\n");
  for (const char* rank : {".0", ".1"}) EXPECT_EQ(text(record + rank), text(record));
}

TEST_F(SlurmTest, NodesOutsideOfTheAllocationAndStepsAreRefused) {
  const Finished outside = run(Words{"salloc", "--nodes=2"} + heat({"-H", "node0,node3", "-n", "2"}));
  EXPECT_EQ(outside.status, 1);
  expect_contains(outside.errors, "node3 is not among the nodes of Slurm's job ");
  const Finished step = run(Words{"srun", "--nodes=1"} + heat({"-n", "2"}));
  EXPECT_EQ(step.status, 1);
  expect_contains(step.errors, "started by srun");
}

TEST_F(SlurmTest, RootFindsTheControllerByTheJobsComment) {
  const std::string key = folder_.file("key"), certificate = folder_.file("certificate");
  const Finished made =
      run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
           "2", "-subj", "/CN=head", "-addext", "subjectAltName=DNS:head", "-keyout", key, "-out", certificate});
  ASSERT_EQ(made.status, 0) << made.errors;
  Process allocation =
      start(Words{"salloc", "--nodes=2", "--ntasks=2", "--comment=of the user"} +
            heat({"--listen", "10.77.0.254:0", "--tls-cert", certificate, "--tls-key", key, "--munge"}));
  await_running(allocation);
  const Words ask{tool("migrate"), "--server", "slurm:" + job(), "--ca", certificate, "--munge"};
  const Finished moved = slurm_->run("root", "node3", ask + Words{"--rank", "0", "--to", "node1"});
  EXPECT_EQ(moved.status, 0) << moved.output << moved.errors;
  EXPECT_EQ(slurm_->run("user2", "node3", ask + Words{"status"}).status, 3) << "MUNGE says that it is somebody else";
  expect_contains(says({"squeue", "--noheader", "--format=%k"}), "of the user cppc=https://head:");
  EXPECT_EQ(finish(allocation).status, 0);
}

TEST_F(SlurmTest, OwnersSeeWhoMovesTheirRanksAndMayRefuse) {
  const std::string site = folder_.file("site.toml");
  std::ofstream(site) << "[owners]\nmay_refuse = true\n";
  const auto start_job = [&](const Words& options) {
    return start(Words{"env", "CPPC_SITE=" + site, "salloc", "--nodes=2", "--ntasks=2", "--no-kill"} + heat(options));
  };
  Process allocation = start_job({});
  await_running(allocation);
  const Finished moved = slurm_->run("root", "head", {tool("migrate"), "--evacuate", "node1", "--why", "fan 3 fails"});
  EXPECT_EQ(moved.status, 0) << moved.output << moved.errors;
  const std::string status = migrate({"status"}).output;
  expect_contains(status, "evacuate node1, by root at ");
  expect_contains(status, ", done: fan 3 fails");
  expect_contains(allocation.errors(), "root moves ranks of this job: fan 3 fails");
  EXPECT_EQ(finish(allocation).status, 0);
  std::filesystem::remove(folder_.file("stop"));

  Process closed = start_job({"--site-moves", "never"});
  await_running(closed);
  const Finished refused = slurm_->run("root", "head", {tool("migrate"), "--evacuate", "node1"});
  EXPECT_EQ(refused.status, 3) << refused.output << refused.errors;
  expect_contains(refused.errors, "the job's owner lets nobody else move its ranks");
  const Finished own = migrate({"--rank", "1", "--to", "node0"});
  EXPECT_EQ(own.status, 0) << own.output << own.errors;
  EXPECT_EQ(finish(closed).status, 0);
}

TEST_F(SlurmTest, ANodeOfABatchJobLeavesItButNotTheBatchHost) {
  const std::string script = folder_.file("script"), output = folder_.file("out");
  std::ofstream(script) << "#!/bin/sh\n"
                        << tool("cppc-run") << " -n 4 " << app("heat") << " --quiet --mb 2 --pause-us 5000 --until "
                        << folder_.file("stop") << "\necho status $?\n";
  Process batch =
      start({"sh", "-c",
             "sbatch --nodes=3 --ntasks=4 --nodelist=node0 --chdir=/ --output=" + output + " --no-kill " + script +
                 "; while test \"$(squeue --noheader --user=user1)\"; do sleep 0.1; done; cat " + output});
  await_running(batch, "node0");
  const Finished host = migrate({"--evacuate", "node0"}, "node0");
  EXPECT_EQ(host.status, 8) << host.errors;
  expect_contains(host.output, "node0: empty, but not safe to power off: the batch script of Slurm's job " + job());
  EXPECT_EQ(nodes(), "node[0-2]");
  const Finished other = migrate({"--evacuate", "node1"}, "node0");
  EXPECT_EQ(other.status, 0) << other.output << other.errors;
  EXPECT_EQ(nodes(), "node[0,2]");
  const Answer answer = finish(batch);
  expect_contains(batch.output(), "status 0\n");
  expect_same_answer(answer);
}

/// Neither may have Slurm end what the other one has on the node.
TEST_F(SlurmTest, TwoJobsInOneAllocationLeaveANodeTogether) {
  std::string line;
  for (const std::string& word : heat({"-n", "2", "--map-by", "node"})) line += word + " ";
  Process allocation = start({"salloc", "--nodes=3", "--ntasks-per-node=1", "--nodelist=node0,node1,node3", "sh", "-c",
                              line + "& first=$!; " + line + "&& wait $first"});
  await_running(allocation, "head", 2);
  const Finished evacuated = migrate({"--evacuate", "node1"});
  EXPECT_EQ(evacuated.status, 0) << evacuated.output << evacuated.errors;
  expect_contains(evacuated.output, "node1: safe to power off");
  EXPECT_EQ(nodes(), "node[0,3]");
  std::ofstream(folder_.file("stop")).flush();
  const Finished finished = allocation.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_NE(finished.output.find("heat: ok"), finished.output.rfind("heat: ok")) << finished.output;
}

TEST_F(SlurmTest, AnEvacuatedNodeLeavesTheJobAndIsSafeToPowerOff) {
  Process allocation =
      start(Words{"salloc", "--nodes=3", "--nodelist=node1,node2,node3", "--ntasks-per-node=2", "--no-kill"} +
            heat({"-n", "4"}));
  await_running(allocation);
  EXPECT_EQ(migrate({"--rank", "1", "--to", "node3"}).status, 0);
  const Finished kept = migrate({"--evacuate", "node2", "--keep-node"});
  EXPECT_EQ(kept.status, 7) << kept.output << kept.errors;
  EXPECT_EQ(nodes(), "node[1-3]");
  const Finished evacuated = migrate({"--evacuate", "node2"});
  EXPECT_EQ(evacuated.status, 0) << evacuated.output << evacuated.errors;
  expect_contains(evacuated.output, "node2: safe to power off");
  EXPECT_EQ(nodes(), "node[1,3]");
  slurm_->cluster().off("node2");
  EXPECT_EQ(migrate({"--rank", "1", "--to", "node1"}).status, 0);
  const Finished second = migrate({"--evacuate", "node3"});
  EXPECT_EQ(second.status, 9) << second.output << second.errors;
  expect_contains(second.output, "without accounting (slurmdbd)");
  EXPECT_EQ(nodes(), "node[1,3]");
  expect_same_answer(finish(allocation));
  slurm_->cluster().on("node2");
  slurm_->start_daemons("node2");
  EXPECT_EQ(says({"srun", "--nodelist=node2", "hostname"}), "node2\n");
}

/// As in cppc-run(1): a small batch job holds cppc-run, and the job with the ranks has no batch host.
TEST_F(SlurmTest, AllNodesOfAJobInsideABatchJobCanLeave) {
  std::ofstream(folder_.file("script")) << R"(#!/bin/bash
for name in ${!SLURM_*}; do test $name = SLURM_CONF || unset $name; done
salloc --nodes=3 --ntasks-per-node=1 --no-kill --exclude=$(hostname) )";
  std::ofstream script(folder_.file("script"), std::ios::app);
  for (const std::string& word : heat({"-n", "2"})) script << word << ' ';
  script.close();
  ASSERT_EQ(run({"sbatch", "--nodelist=node3", "--chdir=/", "--output=/dev/null", folder_.file("script")}).status, 0);
  Process queue = start({"sh", "-c", "while test \"$(squeue --noheader --user=user1)\"; do sleep 0.1; done"});
  await_running(queue, "node3");
  const Finished evacuated = migrate({"--evacuate", "node0"}, "node3");
  EXPECT_EQ(evacuated.status, 0) << evacuated.output << evacuated.errors;
  expect_contains(says({"squeue", "--noheader", "--user=user1", "--format=%N"}), "node[1-2]\n");
  std::ofstream(folder_.file("stop")).flush();
  EXPECT_EQ(queue.wait().status, 0);
}

}  // namespace
}  // namespace cppc::test
