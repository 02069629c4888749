/// Windows on emulated nodes: which of them can move, and with whom.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "expectations.hpp"
#include "job.hpp"

namespace cppc::test {
namespace {

/// Ranks 0 and 1 on node0, ranks 2 and 3 on node1.
class WindowsTest : public testing::Test {
 protected:
  WindowsTest() { job_.await_running(); }

  void expect_all_right() { expect_all_right(job_); }

  void expect_all_right(Job& job) const {
    test::expect_all_right(job, folder_.file("stop"), ", one of 2 on its node: 0 wrong");
  }

  const Folder folder_;
  const Cluster cluster_{3};
  Job job_{cluster_, {"-H", "node0:2,node1:2,node2:4", "-n", "4"}, {tool("node_windows"), folder_.file("stop")}};
};

TEST_F(WindowsTest, RanksThatShareMemoryMoveTogether) {
  expect_done(job_.migrate({"--rank", "0,1", "--to", "node2"}));
  expect_done(job_.migrate({"--evacuate", "node1", "--to", "node0"}));
  expect_done(job_.migrate({"--rank", "0,1", "--to", "node0"}));
  expect_all_right();
}

TEST_F(WindowsTest, RanksThatShareMemoryDoNotPart) {
  const Finished refused = job_.migrate({"--rank", "1", "--to", "node2"});
  EXPECT_EQ(refused.status, 3) << refused.output << refused.errors;
  EXPECT_NE(refused.errors.find("ranks 0, 1 share memory (MPI_Win_allocate_shared()): they can only be moved together"),
            std::string::npos)
      << refused.errors;
  EXPECT_EQ(job_.node_of(1), "node0");
  expect_all_right();
}

TEST_F(WindowsTest, RanksThatShareMemoryGoToOneOfSeveralNodes) {
  expect_done(job_.migrate({"--evacuate", "node0", "--to", "node1,node2"}));
  EXPECT_EQ(job_.node_of(0), job_.node_of(1));
  expect_all_right();
}

TEST_F(WindowsTest, ACheckpointIsRestartedOnOtherNodes) {
  expect_done(job_.migrate({"checkpoint", "--to", folder_.file("checkpoints")}));
  expect_all_right();
  Job restarted(cluster_, {"--restart", folder_.file("checkpoints"), "-H", "node1:2,node2:2", "-n", "4"},
                {tool("node_windows"), folder_.file("stop")});
  restarted.await_running();
  expect_all_right(restarted);
}

}  // namespace
}  // namespace cppc::test
