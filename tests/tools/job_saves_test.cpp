/// Checkpoints in the queue of a job.
#include "job_fixture.hpp"

namespace cppc::run {
namespace {

class JobSavesTest : public JobTest {
 protected:
  std::uint64_t save() { return job_.save({"/c/.1-app-1.partial", "/c/1", "app-1"}, 60).value().id; }
  static wire::Message saved(std::uint64_t id, int agent, const std::vector<int>& ranks) {
    wire::Saved saved{id, agent, {}};
    for (const int rank : ranks) saved.images.push_back({rank, 1000, 7, "build id"});
    return saved;
  }
};

TEST_F(JobSavesTest, AreDoneWhenTheirFilesCount) {
  start();
  const auto id = save();
  const auto [order, agents] = last_order();
  EXPECT_EQ(agents, 3);
  EXPECT_EQ(order.checkpoint, "/c/.1-app-1.partial");
  EXPECT_TRUE(order.moves.empty());
  job_.received(wire::Progress{id, "write", 5, 10});
  EXPECT_EQ(state(id), State::write);
  job_.received(saved(id, 0, {0, 1}));
  outcome(id);
  EXPECT_EQ(notes_, "") << "the other agent's files are not known yet";
  job_.received(saved(id, 1, {2, 3}));
  EXPECT_EQ(notes_, "[store 4]");
  EXPECT_EQ(state(id), State::write);
  const auto next = move(3, "node2");
  EXPECT_EQ(state(next), State::queued);
  job_.stored(id, {});
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(state(next), State::prepare);
  EXPECT_EQ(job_.view().ranks[3].node, "node1");
}

TEST_F(JobSavesTest, SayWhereTheirImagesAreGathered) {
  start();
  const auto in_memory = job_.save({"memory:3", "memory:3", "app-1", 3}, 60);
  EXPECT_TRUE(in_memory->messages.empty());
  outcome(in_memory->id, CPPC_ERR_SYSTEM, "no memory");
  const auto gathered = job_.save({"memory:4", "/c/1", "app-1", 4, "/c/.1-app-1.partial"}, 60);
  EXPECT_EQ(gathered->messages,
            std::vector<std::string>{"other nodes do not see /c: the images are gathered on node0"});
  EXPECT_EQ(last_order().first.checkpoint, "memory:4");
}

TEST_F(JobSavesTest, ThatTheJobStartsFromGoWhenAllRanksWork) {
  job_.starts_from(5);
  join_all();
  job_.received(roster(0, {0, 1}));
  EXPECT_EQ(notes_, "");
  job_.received(roster(1, {2, 3}));
  job_.received(roster(2, {}));
  EXPECT_EQ(notes_, "[discard]");
}

TEST_F(JobSavesTest, ThatAreDueMakeWayForMigrationsUntilTheRanksStandStill) {
  const auto cancelled = [this] {
    return std::ranges::count_if(sent_,
                                 [](const auto& one) { return std::holds_alternative<wire::Cancel>(one.second); });
  };
  start();
  save();
  move(3, "node2");
  EXPECT_EQ(cancelled(), 0) << "somebody has asked for it";
  outcome(1, CPPC_ERR_SYSTEM, "no space");
  outcome(2);
  const auto due = [this] {
    return job_.save({"/c/.1-app-1.partial", "/c/1", "app-1"}, 60, {.periodic = true}).value().id;
  };
  const auto id = due();
  move(0, "node2");
  EXPECT_EQ(cancelled(), 3);
  outcome(id, CPPC_ERR_CANCELLED, "cancelled");
  EXPECT_EQ(state(id + 1), State::prepare);
  outcome(id + 1);
  const auto second = due();
  job_.received(wire::Progress{second, "write", 5, 10});
  move(1, "node2");
  EXPECT_EQ(cancelled(), 3);
}

TEST_F(JobSavesTest, AreRefusedWhenTheJobIsFinishing) {
  start();
  job_.received(roster(0, {0, 1}, true));
  job_.received(roster(1, {2, 3}, true));
  const auto id = save();
  EXPECT_EQ(state(id), State::refused);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "the job is finishing");
  for (const int agent : {0, 1, 2}) job_.left(agent);
  EXPECT_EQ(state(save()), State::refused) << "with no agent left";
}

TEST_F(JobSavesTest, ThatFailAreDiscarded) {
  start();
  const auto id = save();
  outcome(id, CPPC_ERR_SYSTEM, "no space");
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(notes_, "[discard]");
  const auto second = save();
  job_.received(saved(second, 0, {0, 1, 2, 3}));
  outcome(second);
  job_.stored(second, tools::error("no directory"));
  EXPECT_EQ(state(second), State::failed);
  EXPECT_EQ(job_.migration(second)->outcome.reason, "no directory");
  EXPECT_EQ(notes_, "[discard][store 4][discard]");
}

TEST_F(JobSavesTest, AreGivenUpWhenAnAgentDoesNotTellWhatItHas) {
  start();
  const auto id = save();
  job_.received(saved(id, 0, {0, 1}));
  outcome(id);
  for (int second = 0; second < 12; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(notes_, "[discard]");
}

TEST_F(JobSavesTest, ThatAreCancelledBeforeTheyBeginAreDiscarded) {
  const auto id = save();
  EXPECT_EQ(state(id), State::queued);
  job_.cancel(id);
  EXPECT_EQ(notes_, "[discard]");
}

TEST_F(JobSavesTest, AreRefusedWhenTheJobHasEnded) {
  start();
  job_.ended(0);
  EXPECT_FALSE(job_.save({"/c/.1-app-1.partial", "/c/1", "app-1"}, 60));
}

}  // namespace
}  // namespace cppc::run
