/// A job under cppc-run ends as it would under mpirun.
#include "job.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace cppc::test {
namespace {

const std::string kFate = tool("fate");
const std::vector<std::string> kPlacement{"-H", "node0:2,node1:2", "-n", "3", "--map-by", "node"};

Finished fate(const Cluster& cluster, const std::vector<std::string>& how) {
  std::vector<std::string> program{kFate};
  program.insert(program.end(), how.begin(), how.end());
  return Job(cluster, kPlacement, program).wait();
}

/// mpirun kills what is left of a job, and does not wait until it has gone.
bool nothing_stays(const Cluster& cluster, const std::string& node, const std::string& program) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < deadline)
    if (cluster.processes(node, program).empty()) return true;
  return false;
}

TEST(JobTest, EndsWithTheStatusOfTheProgram) {
  const Cluster cluster(2);
  EXPECT_EQ(fate(cluster, {"exit", "3"}).status, 3);
  const Finished as_of_a_restart = fate(cluster, {"exit", "202"});  // checkpoint::several_threads_status
  EXPECT_EQ(as_of_a_restart.status, 202);
  EXPECT_EQ(as_of_a_restart.output, "fate: running\n");  // once
  EXPECT_EQ(fate(cluster, {"abort", "7"}).status, 7);
  EXPECT_EQ(fate(cluster, {"signal", std::to_string(SIGSEGV)}).status, 128 + SIGSEGV);
  EXPECT_EQ(Job(cluster, kPlacement, {app("heat"), "--size", "20", "--steps", "10"}).wait().status, 0);
  EXPECT_EQ(Job(cluster, kPlacement, {app("heat"), "--size", "x"}).wait().status, 2);
}

/// The handlers of signals that MPI has may not use the program's heap.
TEST(JobTest, AProgramWithADamagedHeapEnds) {
  const Cluster cluster(2);
  const Finished finished = Job(cluster, kPlacement, {tool("damaged_heap")}).wait();
  EXPECT_GT(finished.status, 128) << finished.errors;
  EXPECT_NE(finished.errors.find("*** Process received signal ***"), std::string::npos) << finished.errors;
}

/// MPI promises no zeros, but Open MPI's fresh memory has them, and programs rely on it.
TEST(JobTest, MemoryOfWindowsOverSeveralNodesIsFresh) {
  const Cluster cluster(2);
  const Finished finished = Job(cluster, {"-H", "node0:1,node1:1", "-n", "2"}, {tool("window_memory")}).wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "0 bytes are not zero, 0 large windows are in memory\n") << finished.errors;
}

/// What it starts is not known before it runs.
Finished run_script(const std::string& command) {
  const Cluster cluster(2);
  const Folder folder;
  std::ofstream(folder.file("run")) << "#!/bin/sh\n" << command << "\nexit 0\n";
  std::filesystem::permissions(folder.file("run"), std::filesystem::perms::owner_all);
  return Job(cluster, kPlacement, {folder.file("run")}).wait();
}

TEST(JobTest, AScriptWhoseProgramHasNoLibcppcEndsItWithAMessage) {
  const Finished finished = run_script(plain_app("heat") + " --quiet");
  EXPECT_NE(finished.status, 0) << finished.errors;
  EXPECT_NE(finished.errors.find(plain_app("heat") + " is not linked with libcppc"), std::string::npos)
      << finished.errors;
}

TEST(JobTest, AScriptThatStartsNothingWithMpiEndsItWithAMessage) {
  const Finished finished = run_script("hostname");
  EXPECT_NE(finished.status, 0) << finished.errors;
  EXPECT_NE(finished.errors.find("its ranks have ended before MPI_Init"), std::string::npos) << finished.errors;
  EXPECT_NE(finished.output.find("node0\n"), std::string::npos) << finished.output;
}

TEST(JobTest, AScriptThatFailsEndsItWithItsStatus) {
  const Finished finished = run_script("exit 3");
  EXPECT_EQ(finished.status, 3) << finished.errors;
  EXPECT_EQ(finished.errors.find("before MPI_Init"), std::string::npos) << finished.errors;
}

TEST(JobTest, AProgramThatIsNotThereEndsItWithAMessage) {
  const Cluster cluster(2);
  const Finished finished = Job(cluster, kPlacement, {"/nonexistent/heat"}).wait();
  EXPECT_EQ(finished.status, 127);
  EXPECT_NE(finished.errors.find("cannot start on node0: /nonexistent/heat: No such file"), std::string::npos)
      << finished.errors;
}

TEST(JobTest, ACrashInAReplacementEndsTheJobToo) {
  const Cluster cluster(2);
  Job job(cluster, kPlacement, {kFate, "wait"});
  job.await_running();
  const Finished migrated = job.migrate({"--rank", "2", "--to", "node1"});
  ASSERT_EQ(migrated.status, 0) << migrated.output << migrated.errors;
  // At once: the first crash ends the job.
  std::vector<std::string> kill{"kill", "-SEGV"};
  for (const pid_t process : cluster.processes("node1", kFate)) kill.push_back(std::to_string(process));
  EXPECT_EQ(cluster.run("node1", kill).status, 0);
  EXPECT_EQ(job.wait().status, 128 + SIGSEGV);
}

// It has no socket yet when it is asked.
TEST(JobTest, CanBeAskedAsSoonAsItsCppcRunIsThere) {
  const Cluster cluster(2);
  Job job(cluster, kPlacement, {kFate, "wait"}, {"LD_PRELOAD=" STOPPED_AT_START});
  std::vector<pid_t> controllers;
  while ((controllers = cluster.processes("head", tool("cppc-run"))).empty()) continue;
  Process asking = job.start_migrate({"--rank", "0", "--to", "node1"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_EQ(cluster.run("head", {"kill", "-CONT", std::to_string(controllers.front())}).status, 0);
  const Finished asked = asking.wait();
  EXPECT_EQ(asked.status, 0) << asked.output << asked.errors;
}

/// mpirun sends them to all processes of the job, the agents, too.
TEST(JobTest, SignalsForTheRanksLeaveTheAgentsAlone) {
  const Cluster cluster(2);
  Job job(cluster, kPlacement, {tool("user_signals")});
  job.await_running();
  const auto launchers = cluster.processes("head", tool("cppc-run"));
  ASSERT_EQ(launchers.size(), 1U);
  const auto send = [&](const char* signal) {
    EXPECT_EQ(cluster.run("head", {"kill", signal, std::to_string(launchers.front())}).status, 0);
  };
  send("-USR1");
  const Finished migrated = job.migrate({"--rank", "2", "--to", "node1"});
  EXPECT_EQ(migrated.status, 0) << migrated.output << migrated.errors;
  send("-USR2");
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "3 ranks\n");
}

TEST(JobTest, ControlCEndsIt) {
  const Cluster cluster(2);
  Job job(cluster, kPlacement, {kFate, "wait"});
  job.await_running();
  const auto launchers = cluster.processes("head", tool("cppc-run"));
  ASSERT_EQ(launchers.size(), 1U);
  EXPECT_EQ(cluster.run("head", {"kill", "-INT", std::to_string(launchers.front())}).status, 0);
  EXPECT_NE(job.wait().status, 0);
  EXPECT_TRUE(nothing_stays(cluster, "node0", kFate));
  EXPECT_TRUE(nothing_stays(cluster, "node1", tool("cppc-agent")));
}

TEST(JobTest, TheLossOfANodeWithRanksEndsIt) {
  const Cluster cluster(2);
  Job job(cluster, kPlacement, {kFate, "wait"});
  job.await_running();
  cluster.off("node1");
  EXPECT_NE(job.wait().status, 0);
  EXPECT_TRUE(nothing_stays(cluster, "node0", kFate));
}

}  // namespace
}  // namespace cppc::test
