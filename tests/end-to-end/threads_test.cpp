/// Programs whose threads call MPI at the same time, on emulated nodes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.hpp"
#include "job.hpp"

namespace cppc::test {
namespace {

class ThreadsTest : public testing::Test {
 protected:
  static std::vector<std::string> on(const std::string& nodes) { return {"-H", nodes, "-n", "4"}; }

  std::vector<std::string> program(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command{tool("several_threads"), folder_.file("stop")};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  void expect_all_right(Job& job) const {
    test::expect_all_right(job, folder_.file("stop"), ": 0 wrong, thread level multiple");
  }

  const Folder folder_;
  const Cluster cluster_{3};
};

TEST_F(ThreadsTest, OfAParallelRegionMayCallMpi) {
  Job job(cluster_, on("node0:2,node1:2,node2:4"), program());
  job.await_running();
  expect_done(job.migrate({"--rank", "1", "--to", "node2"}));
  expect_done(job.migrate({"--evacuate", "node1", "--to", "node0,node2"}));
  expect_done(job.migrate({"--rank", "1,2", "--to", "node0"}));
  expect_all_right(job);
}

TEST_F(ThreadsTest, OfARestartedJobMayCallMpi) {
  Job job(cluster_, on("node0:2,node1:2,node2:4"), program());
  job.await_running();
  expect_done(job.migrate({"checkpoint", "--to", folder_.file("checkpoints")}));
  expect_all_right(job);
  Job restarted(cluster_, {"--restart", folder_.file("checkpoints"), "-H", "node1:2,node2:2", "-n", "4"}, program());
  restarted.await_running();
  expect_all_right(restarted);
}

TEST_F(ThreadsTest, ThatRunAllTheTimeAreWaitedFor) {
  Job job(cluster_, on("node0:2,node1:2,node2:4"), program({"own"}));
  job.await_running();
  const Finished late = job.migrate({"--rank", "1", "--to", "node2", "--timeout", "6"});
  EXPECT_EQ(late.status, 124) << late.output << late.errors;
  EXPECT_NE((late.output + late.errors).find("threads that it has started call MPI, too, and have not ended"),
            std::string::npos)
      << late.output << late.errors;
  expect_all_right(job);
}

}  // namespace
}  // namespace cppc::test
