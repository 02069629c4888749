/// Programs that mpicc has made, under cppc-run --preload.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "job.hpp"

namespace cppc::test {
namespace {

const std::string kProgram = PRELOADED_PROGRAM;
const std::string kLibraries = "/tmp/lib";  // each node has its own

void put_library(const Cluster& cluster, const std::string& node, const std::string& library) {
  ASSERT_EQ(cluster.run(node, {"mkdir", "-p", kLibraries}).status, 0);
  ASSERT_EQ(cluster.run(node, {"cp", library, kLibraries + "/libpreloaded.so"}).status, 0);
}

std::vector<std::string> options(std::vector<std::string> more) {
  std::vector<std::string> all{"--preload", "-x", "LD_LIBRARY_PATH=" + kLibraries};
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), {"-H", "node0:2,node1:2", "-n", "2"});
  return all;
}

/// `command`: what the job runs, without the last argument.
Finished moved_once(const std::vector<std::string>& more, std::vector<std::string> command) {
  const Cluster cluster(2);
  const Folder folder;
  for (const char* node : {"node0", "node1"}) put_library(cluster, node, PRELOADED_LIBRARY);
  command.push_back(folder.file("stop"));
  Job job(cluster, options(more), command);
  job.await_running();
  const Finished moved = job.migrate({"--rank", "0", "--to", job.node_of(0) == "node0" ? "node1" : "node0"});
  EXPECT_EQ(moved.status, 0) << moved.output << moved.errors;
  std::ofstream(folder.file("stop")).flush();
  return job.wait();
}

TEST(PreloadTest, WhatTheProgramStartsDoesNotGetLibcppc) {
  const Finished finished = moved_once({}, {kProgram});
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "right, itself: none\nstarted: none\n") << finished.errors;
}

TEST(PreloadTest, ScriptsMayStartTheProgramAndUsersMayPreloadMore) {
  const Folder folder;
  std::ofstream(folder.file("run")) << "export A=1; ls / >/dev/null; env B=2 nice \"$@\"\n";
  const Finished finished = moved_once({"-x", "LD_PRELOAD=libm.so.6"}, {"sh", folder.file("run"), kProgram});
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "right, itself: libm.so.6\nstarted: libm.so.6\n") << finished.errors;
}

/// The system puts libraries elsewhere then. Replacements have the limit of their nodes.
TEST(PreloadTest, RanksMayHaveOtherLimitsOfTheirStackThanReplacements) {
  const std::string script = "ulimit -S -s unlimited && exec \"$0\" \"$@\"";
  const Finished finished = moved_once({}, {"sh", "-c", script, kProgram});
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "right, itself: none\nstarted: none\n") << finished.errors;
}

TEST(PreloadTest, AnotherLibraryOnTheTargetIsNamedBeforeAnybodyStops) {
  const Cluster cluster(2);
  const Folder folder;
  put_library(cluster, "node0", PRELOADED_LIBRARY);
  put_library(cluster, "node1", PRELOADED_OTHER_LIBRARY);
  Job job(cluster, options({}), {kProgram, folder.file("stop")});
  job.await_running();
  ASSERT_EQ(job.node_of(0), "node0");
  const Finished refused = job.migrate({"--rank", "0", "--to", "node1"});
  EXPECT_EQ(refused.status, 1) << refused.output;
  EXPECT_NE(refused.errors.find("the replacement of rank 0 on node1 cannot take over"), std::string::npos)
      << refused.errors;
  EXPECT_EQ(refused.output.find("negotiate"), std::string::npos) << refused.output;
  put_library(cluster, "node1", PRELOADED_LIBRARY);
  EXPECT_EQ(job.migrate({"--rank", "0", "--to", "node1"}).status, 0);
  std::ofstream(folder.file("stop")).flush();
  const Finished finished = job.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.output.find("right,"), std::string::npos) << finished.output;
  EXPECT_NE(finished.errors.find("the library libpreloaded.so"), std::string::npos) << finished.errors;
}

TEST(PreloadTest, ProgramsInPythonMoveWithMpi4py) {
  if (std::system("/usr/bin/python3 -c 'import mpi4py' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-mpi4py is not installed";
  const Finished finished = moved_once({}, {"/usr/bin/python3", CPPC_SOURCE_DIR "/tests/end-to-end/preloaded.py"});
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "right\nstarted: none\n") << finished.errors;
}

TEST(PreloadTest, PythonMayStartTheProgram) {
  const std::string script = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])";
  const Finished finished = moved_once({}, {"/usr/bin/python3", "-c", script, kProgram});
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.output, "right, itself: none\nstarted: none\n") << finished.errors;
}

TEST(PreloadTest, AProgramThatLoadsMpiLaterEndsWithAMessage) {
  const Cluster cluster(2);
  const Folder folder;
  const std::string script = folder.file("run");
  std::ofstream(script) << "#!/bin/sh\nexec " PRELOADED_LOADER " " PRELOADED_MODULE "\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Finished finished = Job(cluster, options({}), {script}).wait();
  EXPECT_NE(finished.status, 0);
  EXPECT_EQ(finished.output.find("started"), std::string::npos);
  EXPECT_NE(finished.errors.find("not linked with MPI and loads it by dlopen()"), std::string::npos) << finished.errors;
}

}  // namespace
}  // namespace cppc::test
