/// Files of MPI on emulated nodes: what the nodes have to do with them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "job.hpp"

namespace cppc::test {
namespace {

/// Ranks that write files in every step until they are told to stop.
class Records {
 public:
  Records(const std::vector<std::string>& placement, const std::string& file)
      : job_(cluster_, placement, {app("records"), "--until", folder_.file("stop"), "--file", file}) {
    job_.await_running();
  }
  [[nodiscard]] Job& job() { return job_; }
  Finished finish() {
    std::ofstream(folder_.file("stop")).flush();
    return job_.wait();
  }

 private:
  const Folder folder_;
  const Cluster cluster_{2};
  Job job_;
};

// A replacement and the ranks beside it belong to different jobs of Open MPI, which have different session directories.
TEST(FilesTest, HaveOnePositionForAReplacementAndTheOtherRanksOfItsNode) {
  const Folder folder;
  Records records({"-H", "node0:2,node1:2", "--map-by", "node", "-n", "2"}, folder.file("shared"));
  for (const char* target : {"node1", "node0", "node1"}) {
    const Finished moved = records.job().migrate({"--rank", "0", "--to", target});
    EXPECT_EQ(moved.status, 0) << moved.output << moved.errors;
  }
  EXPECT_EQ(records.job().node_of(0), records.job().node_of(1));
  const Finished finished = records.finish();
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
}

TEST(FilesTest, ThatTheTargetDoesNotSeeKeepTheRankWhereItIs) {
  Records records({"-H", "node0:1,node1:1", "-n", "1"}, "/tmp/of-this-node");
  const Finished refused = records.job().migrate({"--rank", "0", "--to", "node1"});
  EXPECT_EQ(refused.status, 1) << refused.output << refused.errors;
  EXPECT_NE(
      refused.errors.find("the replacement of rank 0 on node1 cannot take over: the open MPI file /tmp/of-this-node"),
      std::string::npos)
      << refused.errors;
  EXPECT_EQ(records.job().node_of(0), "node0");
  const Finished finished = records.finish();
  EXPECT_EQ(finished.status, 0) << finished.output << finished.errors;
  EXPECT_NE(finished.errors.find("/tmp/of-this-node.rows"), std::string::npos) << finished.errors;
}

}  // namespace
}  // namespace cppc::test
