/// Where a job goes that gets other nodes, and the steps on its way there.
#include "relocation.hpp"

#include "job_fixture.hpp"
#include "relocation_request.hpp"

namespace cppc::run {
namespace {

using Nodes = std::vector<AllocatedNode>;
using Places = std::vector<std::string>;

const Nodes three{{"node0", 2}, {"node1", 2}, {"node2", 2}};

/// Ranks 0 and 1 on node0, 2 and 3 on node1.
plan::Snapshot snapshot() {
  plan::Snapshot job;
  for (const AllocatedNode& node : three) job.nodes.push_back({node.name, plan::NodeState::up, 2, 1000});
  for (const int node : {0, 0, 1, 1}) job.ranks.push_back({node, 10, false});
  return job;
}

TEST(RelocationPlan, RanksStayWhereTheyAre) {
  const auto relocation = plan_relocation(snapshot(), three, {{{"node3", 4}}});
  ASSERT_TRUE(relocation.has_value()) << relocation.error();
  EXPECT_EQ(relocation->after.nodes, (Nodes{{"node0", 2}, {"node1", 2}, {"node2", 2}, {"node3", 4}}));
  EXPECT_EQ(relocation->after.places, (Places{"node0", "node0", "node1", "node1"}));
  EXPECT_EQ(relocation->before.nodes, three);
  EXPECT_EQ(relocation->before.places, relocation->after.places);
}

TEST(RelocationPlan, RanksMayGoToTheNewNode) {
  const auto relocation = plan_relocation(snapshot(), three, {{{"node3", 4}}, {{1, 2}, "", {"node3"}}});
  ASSERT_TRUE(relocation.has_value()) << relocation.error();
  EXPECT_EQ(relocation->after.places, (Places{"node0", "node3", "node3", "node1"}));
  ASSERT_EQ(relocation->moves.size(), 2u);
  EXPECT_EQ(relocation->moves[1].from, "node1");
  EXPECT_EQ(relocation->moves[1].to, "node3");
}

TEST(RelocationPlan, NodesThatAreLostOrEvacuatedStayBehindUnlessTheyComeBack) {
  plan::Snapshot job = snapshot();
  job.ranks = {{1, 10, false}, {1, 10, false}};
  job.nodes[0].state = plan::NodeState::evacuated;
  job.nodes[2].state = plan::NodeState::down;
  const auto relocation = plan_relocation(job, three, {{{"node0", 2}}, {{0}, "", {"node0"}}});
  ASSERT_TRUE(relocation.has_value()) << relocation.error();
  EXPECT_EQ(relocation->before.nodes, (Nodes{{"node1", 2}}));
  EXPECT_EQ(relocation->after.nodes, (Nodes{{"node1", 2}, {"node0", 2}}));
  EXPECT_EQ(relocation->after.places, (Places{"node0", "node1"}));
}

TEST(RelocationPlan, ANodeGetsANewAgentButDoesNotComeTwice) {
  plan::Snapshot job = snapshot();
  EXPECT_EQ(plan_relocation(job, three, {{{"node1", 2}}}).error(), "the job has node1 already");
  job.nodes[1].state = plan::NodeState::leave_only;
  const auto relocation = plan_relocation(job, three, {{{"node1", 2}}});
  ASSERT_TRUE(relocation.has_value()) << relocation.error();
  EXPECT_EQ(relocation->after.nodes, three);
}

TEST(RelocationPlan, AJobThatIsFinishingStaysAsItIs) {
  plan::Snapshot job = snapshot();
  job.ranks[2].finished = true;
  EXPECT_EQ(plan_relocation(job, three, {{{"node3", 2}}}).error(),
            "the job is finishing: rank 2 is in MPI_Finalize, or has ended");
}

Migration moved(std::vector<NamedMove> moves, Migration::State state = Migration::State::done) {
  Migration migration;
  migration.moves = std::move(moves);
  migration.state = state;
  return migration;
}

TEST(DepartedFrom, RanksThatCameBackOrNeverLeftAreNotMeant) {
  const std::vector<Migration> migrations{
      moved({{0, "node0", "node1"}, {1, "node0", "node2"}}), moved({{1, "node2", "node0"}}),
      moved({{2, "node0", "node1"}}, Migration::State::failed), moved({{0, "node1", "node2"}})};
  EXPECT_EQ(departed_from("node0", migrations), std::vector<int>{0});
  EXPECT_EQ(departed_from("node1", migrations), std::vector<int>{0});
  EXPECT_EQ(departed_from("node2", migrations), std::vector<int>{});
}

TEST(DepartedFrom, WhoIsHomeAgainHasLeftNoOtherNode) {
  const std::vector<Migration> migrations{moved({{0, "node0", "node1"}}), moved({{0, "node1", "node2"}}),
                                          moved({{0, "node2", "node0"}})};
  EXPECT_EQ(departed_from("node1", migrations), std::vector<int>{});
}

class JobRelocationTest : public JobTest {
 protected:
  std::uint64_t relocation() { return job_.relocate({{{"node3", 2}}, {{3}, "", {"node3"}}}, draft_, 60).value().id; }
  void saved(std::uint64_t id) {
    job_.received(wire::Saved{id, 0, {{0, 9, 1, "p"}, {1, 9, 1, "p"}}});
    job_.received(wire::Saved{id, 1, {{2, 9, 1, "p"}, {3, 9, 1, "p"}}});
  }
  bool told(bool leaves) const {
    return std::ranges::any_of(sent_, [&](const auto& one) {
      const auto* proceed = std::get_if<wire::Proceed>(&one.second);
      return proceed != nullptr && proceed->leaves == leaves;
    });
  }
  void begin_again(const Layout& layout) {
    job_.begin_again(layout.nodes);
    const int agents = static_cast<int>(layout.nodes.size());
    for (int agent = 0; agent < agents; ++agent) job_.joined({"key", agent, agents, "node", 1, 4});
    for (int agent = 0; agent < agents; ++agent) {
      std::vector<int> ranks;
      for (int rank = 0; rank < 4; ++rank)
        if (layout.places[static_cast<std::size_t>(rank)] == layout.nodes[static_cast<std::size_t>(agent)].name)
          ranks.push_back(rank);
      job_.received(roster(agent, ranks));
    }
  }
  const checkpoint::Draft draft_{"/images/.1", "/images/1", "app-1"};
};

TEST_F(JobRelocationTest, EndsMpirunWhenAllImagesCountAndIsDoneWhenTheRanksAreThereAgain) {
  start();
  const auto id = relocation();
  EXPECT_TRUE(last_order().first.stands);
  EXPECT_EQ(last_order().first.checkpoint, "/images/.1");
  saved(id);
  outcome(id);
  EXPECT_EQ(notes_, "[store 4]");
  EXPECT_FALSE(job_.relocation().has_value());
  job_.stored(id, {});
  EXPECT_TRUE(told(/*leaves=*/true));
  const auto next = job_.relocation();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->checkpoint, "/images/1");
  EXPECT_FALSE(next->begun);
  for (const int agent : {0, 1, 2}) job_.left(agent);
  EXPECT_EQ(notes_, "[store 4][over, orderly]");
  begin_again(next->after);
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(job_.view().ranks[3].node, "node3");
  EXPECT_EQ(job_.view().state, Job::State::running);
  EXPECT_EQ(job_.departed_from("node1"), std::vector<int>{3});
}

TEST_F(JobRelocationTest, GoesBackWhenItCannotStart) {
  start();
  const auto id = relocation();
  saved(id);
  outcome(id);
  job_.stored(id, {});
  job_.begin_again(job_.relocation()->after.nodes);
  ASSERT_TRUE(job_.relocation()->begun);
  job_.relocation_failed("node3 does not start");
  begin_again(job_.relocation()->before);
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "node3 does not start");
  EXPECT_EQ(job_.view().ranks[3].node, "node1");
  EXPECT_EQ(state(move(3, "node2")), State::prepare) << "the job goes on as before";
}

TEST_F(JobRelocationTest, RanksGoOnWhenTheImagesDoNotCount) {
  start();
  const auto id = relocation();
  saved(id);
  outcome(id);
  job_.stored(id, tools::error("no room"));
  EXPECT_TRUE(told(/*leaves=*/false));
  EXPECT_FALSE(told(/*leaves=*/true));
  EXPECT_EQ(state(id), State::failed);
  EXPECT_FALSE(job_.relocation().has_value());
}

TEST_F(JobRelocationTest, AnAgentThatIsLostWhileTheRanksStandKeepsTheJobWhereItIs) {
  start();
  const auto id = relocation();
  saved(id);
  outcome(id);
  job_.left(1);
  job_.stored(id, {});
  EXPECT_TRUE(told(/*leaves=*/false));
  EXPECT_EQ(state(id), State::failed);
}

TEST_F(JobRelocationTest, MpirunIsEndedWhenItDoesNotEndByItself) {
  start();
  const auto id = relocation();
  saved(id);
  outcome(id);
  job_.stored(id, {});
  for (int second = 0; second < 10; ++second) job_.tick();
  EXPECT_EQ(notes_, "[store 4][end]");
}

TEST_F(JobRelocationTest, AJobThatIsStartedAgainKeepsItsRanksWhereNodesAreLeft) {
  start();
  EXPECT_EQ(job_.places_on({{"node1", 2}, {"node2", 2}}), (Places{"node2", "node2", "node1", "node1"}));
  const auto id = move(0, "node2");
  job_.interrupted("lost");
  EXPECT_EQ(state(id), State::failed);
  job_.begin_again({{"node1", 2}, {"node2", 2}});
  EXPECT_EQ(job_.places_on({{"node1", 2}, {"node2", 2}}), (Places{"node2", "node2", "node1", "node1"}))
      << "as known from the time before";
}

TEST(RelocationRequest, IsRefusedWhenTheJobCouldNotGoOnUnderAnotherMpirun) {
  const auto refusal = [](const std::vector<std::string>& words) {
    return relocation_refusal(parse_command_line(words).value(), /*input=*/-1);
  };
  EXPECT_EQ(refusal({"-n", "4", "./app"}), "");
  EXPECT_NE(refusal({"--timeout", "60", "./app"}).find("--timeout"), std::string::npos);
  EXPECT_NE(refusal({"./a", ":", "--output-filename", "x", "./b"}).find("--output-filename"), std::string::npos);
}

}  // namespace
}  // namespace cppc::run
