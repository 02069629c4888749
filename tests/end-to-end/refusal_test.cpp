/// Bad input gets a clear error, a status, and a job that goes on.
#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "scene.hpp"

namespace cppc::test {
namespace {

struct Refusal {
  std::vector<std::string> arguments;
  int status;
  std::string names;  ///< what the message has to name
};

TEST(RefusalTest, EachNamesWhatIsWrongAndTheJobGoesOn) {
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:2", "-n", "4"});
  const std::vector<Refusal> refusals{
      {{"--rank", "9", "--to", "node2"}, 3, "9"},
      {{"--rank", "1", "--to", "nowhere"}, 3, "nowhere"},
      {{"--rank", "0", "--to", "node0"}, 3, "node0"},
      {{"--evacuate", "nowhere"}, 3, "nowhere"},
      {{"--evacuate", "node0", "--to", "node0"}, 3, "node0"},
      {{"--rank", "x", "--to", "node2"}, 2, "x"},
      {{"--rank", "1"}, 2, "--to"},
      {{"--rank", "1", "--to", "node2", "--evacuate", "node1"}, 2, "--evacuate"},
      {{"--rank", "1", "--to", "node2", "--job", "no-such-job"}, 3, "no-such-job"},
      {{}, 2, ""},
  };
  for (const auto& [arguments, status, names] : refusals) {
    const Finished refused = scene.job().migrate(arguments);
    EXPECT_EQ(refused.status, status) << refused.output << refused.errors;
    EXPECT_NE(refused.errors.find(names), std::string::npos) << refused.errors;
  }
  EXPECT_EQ(scene.job().migrate({"--rank", "1", "--to", "node2", "--dry-run"}).status, 0);
  EXPECT_EQ(scene.job().node_of(1), "node0");
  const Answer answer = scene.finish();
  EXPECT_EQ(answer.status, 0) << answer.errors;
  EXPECT_EQ(answer.checksum, scene.undisturbed(answer).checksum);
}

TEST(RefusalTest, ANodeThatHasBeenEvacuatedIsNoTarget) {
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:4", "-n", "4"});
  ASSERT_EQ(scene.job().migrate({"--evacuate", "node1"}).status, 0);
  const Finished refused = scene.job().migrate({"--rank", "0", "--to", "node1"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_NE(refused.errors.find("node1"), std::string::npos) << refused.errors;
  EXPECT_EQ(scene.finish().status, 0);
}

TEST(RefusalTest, AnotherProgramAtTheSamePlaceIsNoReplacement) {
  const Cluster cluster(2);
  const Folder folder;
  const std::string program = "/tmp/program";  // each node has its own
  for (const auto& [node, original] : {std::pair{"head", "heat"}, {"node0", "heat"}, {"node1", "storm"}})
    ASSERT_EQ(cluster.run(node, {"cp", app(original), program}).status, 0);
  Job job(cluster, {"-H", "node0:2,node1:2", "-n", "2"}, {program, "--quiet", "--until", folder.file("stop")});
  job.await_running();
  const Finished refused = job.migrate({"--rank", "0", "--to", "node1"});
  EXPECT_EQ(refused.status, 1) << refused.output << refused.errors;
  EXPECT_NE(refused.errors.find("is not the program that rank 0 runs"), std::string::npos) << refused.errors;
  ASSERT_EQ(cluster.run("node1", {"cp", app("heat"), program}).status, 0);
  EXPECT_EQ(job.migrate({"--rank", "0", "--to", "node1"}).status, 0);
  std::ofstream(folder.file("stop")).flush();
  EXPECT_EQ(job.wait().status, 0);
}

class ProgramWithoutAPlaceToStop : public testing::TestWithParam<std::string> {};

TEST_P(ProgramWithoutAPlaceToStop, IsRefusedAtOnceBeforeAReplacementIsStarted) {
  const Cluster cluster(2);
  const Folder folder;
  Job job(cluster, {"-H", "node0:2,node1:2", "-n", "2"}, {tool(GetParam()), folder.file("stop")});
  job.await_running();
  const auto begin = std::chrono::steady_clock::now();
  const Finished refused = job.migrate({"--rank", "0", "--to", "node1"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << "a deadline has been waited for";
  EXPECT_EQ(refused.status, 1) << refused.output << refused.errors;
  EXPECT_NE(refused.errors.find("rank 0 has no place where it can be stopped: its program is linked with libcppc, but "
                                "not by cppc-cc, cppc-c++ or cppc-fc"),
            std::string::npos)
      << refused.errors;
  EXPECT_EQ(refused.output.find("negotiate"), std::string::npos) << refused.output;
  EXPECT_EQ(job.node_of(0), "node0");
  std::ofstream(folder.file("stop")).flush();
  EXPECT_EQ(job.wait().status, 0);
}
INSTANTIATE_TEST_SUITE_P(In, ProgramWithoutAPlaceToStop, testing::Values("unmarked", "unmarked_f90"),
                         [](const auto& info) { return info.param; });

TEST(RefusalTest, ARankThatIsAlwaysInAParallelRegionIsNamedInTheEnd) {
  const Cluster cluster(2);
  const Folder folder;
  Job job(cluster, {"-H", "node0:2,node1:2", "-n", "2"}, {tool("one_region"), folder.file("stop")});
  job.await_running();
  const Finished given_up = job.migrate({"--rank", "0", "--to", "node1", "--timeout", "8"});
  EXPECT_EQ(given_up.status, 124) << given_up.output << given_up.errors;
  EXPECT_NE(given_up.errors.find("is inside a parallel region of OpenMP"), std::string::npos) << given_up.errors;
  EXPECT_NE(
      given_up.output.find("negotiate: rank 0 has not yet come by a call of MPI at which it can stop: it is inside "
                           "a parallel region of OpenMP"),
      std::string::npos)
      << given_up.output;
  std::ofstream(folder.file("stop")).flush();
  EXPECT_EQ(job.wait().status, 0);
}

TEST(RefusalTest, AfterTheEndThereIsNoJob) {
  HeatScene scene(2, {"-H", "node0:2,node1:2", "-n", "2"});
  EXPECT_EQ(scene.finish().status, 0);
  const Finished late = scene.job().migrate({"--rank", "0", "--to", "node1"});
  EXPECT_EQ(late.status, 3) << late.output << late.errors;
  EXPECT_FALSE(late.errors.empty());
}

TEST(RefusalTest, RequestsAreQueued) {
  HeatScene scene(3, {"-H", "node0:2,node1:2,node2:4", "-n", "4"});
  const Cluster& cluster = scene.cluster();
  Process first = cluster.start("head", {tool("migrate"), "--rank", "1", "--to", "node2"});
  Process second = cluster.start("head", {tool("migrate"), "--rank", "1", "--to", "node1"});
  Process third = cluster.start("head", {tool("migrate"), "--rank", "3", "--to", "node2"});
  for (Process* one : {&first, &second, &third}) {
    const Finished finished = one->wait();
    EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
  }
  EXPECT_EQ(scene.job().node_of(3), "node2");
  EXPECT_NE(scene.job().node_of(1), "node0");
  EXPECT_EQ(scene.finish().status, 0);
}

}  // namespace
}  // namespace cppc::test
