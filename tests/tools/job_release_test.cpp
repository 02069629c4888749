/// Nodes that are to leave the job of a resource manager once they are empty.
#include "api_json.hpp"
#include "job_fixture.hpp"

namespace cppc::run {
namespace {

class JobReleaseTest : public JobTest {
 protected:
  JobReleaseTest() : JobTest(/*managed=*/true) {}

  // Until its agent is gone.
  std::uint64_t empty_node1(bool keep = false) {
    start();
    const std::uint64_t id = job_.submit({{}, "node1", {}}, 60, keep).value().id;
    outcome(id);
    job_.left(1);
    job_.retired(1);
    return id;
  }
  nlohmann::json node1() const { return to_json(job_)["nodes"][1]; }
};

TEST_F(JobReleaseTest, AnEvacuationIsDoneWhenTheNodeIsReleased) {
  const std::uint64_t id = empty_node1();
  EXPECT_NE(notes_.find("[release 1]"), std::string::npos) << notes_;
  EXPECT_FALSE(job_.migration(id)->over());
  EXPECT_EQ(node1()["state"], "up") << "not before";
  EXPECT_FALSE(node1().contains("release"));
  job_.retired(1);
  EXPECT_EQ(notes_.find("[release 1]"), notes_.rfind("[release 1]")) << "once";
  job_.released(0, {Release::State::released, ""});
  EXPECT_NE(state(id), State::done) << "another one";
  job_.released(1, {Release::State::released, "gone"});
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(node1()["state"], "evacuated");
  EXPECT_EQ(node1()["release"], "released");
  const auto told = to_json(job_.migration(id).value());
  EXPECT_EQ(told["release"], "released");
  EXPECT_EQ(told["messages"].back(), "node1: gone");
}

TEST_F(JobReleaseTest, ItIsToldWhenTheNodeStays) {
  const std::uint64_t id = empty_node1();
  job_.released(1, {Release::State::no_second, "still there"});
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(node1()["release"], "no-second-release");
  EXPECT_EQ(node1()["release_text"], "still there");
}

TEST_F(JobReleaseTest, TheUserMayKeepTheNode) {
  empty_node1(/*keep=*/true);
  EXPECT_NE(notes_.find("[keep 1]"), std::string::npos) << notes_;
}

TEST_F(JobReleaseTest, AskedAgainItTriesAgain) {
  empty_node1(/*keep=*/true);
  job_.released(1, {Release::State::kept, "still there"});
  EXPECT_EQ(job_.plan({{}, "node1", {}}).value().size(), 0u);
  const int before = orders();
  const std::uint64_t again = evacuate("node1");
  EXPECT_TRUE(notes_.ends_with("[keep 1][release 1]")) << notes_;
  EXPECT_EQ(orders(), before) << "there is nothing to move";
  EXPECT_FALSE(job_.migration(again)->over());
  job_.released(1, {Release::State::released, "gone"});
  EXPECT_EQ(state(again), State::done);
  EXPECT_EQ(node1()["release"], "released");
  EXPECT_NE(refusal({{}, "node1", {}}), "") << "all is done";
  const std::uint64_t next = move(0, "node2");
  EXPECT_EQ(state(next), State::prepare);
}

TEST_F(JobReleaseTest, OthersWaitUntilTheNodeIsReleased) {
  empty_node1();
  const std::uint64_t next = move(0, "node2");
  EXPECT_EQ(state(next), State::queued);
  job_.released(1, {Release::State::released, ""});
  EXPECT_EQ(state(next), State::prepare);
}

TEST_F(JobReleaseTest, ANodeOfAJobThatEndsMeanwhileCountsAsKept) {
  const std::uint64_t id = empty_node1();
  job_.ended(0);
  const Migration ended = job_.migration(id).value();
  EXPECT_EQ(ended.state, State::done);
  ASSERT_TRUE(ended.release);
  EXPECT_EQ(ended.release->state, Release::State::kept);
  job_.released(1, {Release::State::released, ""});
  EXPECT_EQ(job_.migration(id)->release->state, Release::State::kept) << "what has been told stays";
}

TEST_F(JobReleaseTest, NodesThatAreOnlyLeftAreNotReleased) {
  start();
  const std::uint64_t id = move(2, "node2");
  outcome(id);
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(notes_.find("release"), std::string::npos) << notes_;
}

}  // namespace
}  // namespace cppc::run
