/// Agents and nodes that are lost.
#include "job_fixture.hpp"

namespace cppc::run {
namespace {

TEST_F(JobTest, AnAgentThatIsLostBeforeTheDecisionCostsTheMigration) {
  start();
  const auto id = evacuate("node1"), next = move(0, "node2");
  job_.received(wire::Ready{id, 0});
  job_.received(wire::Ready{id, 2});
  job_.left(1);
  EXPECT_EQ(abandons(id), 2);
  for (const int agent : {0, 2}) abandoned(id, agent);
  EXPECT_FALSE(job_.migration(id)->over());  // the job may be about to end
  for (int second = 0; second < 3; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "the agent of node1 has died");
  EXPECT_EQ(state(next), State::queued) << "its guardian may offer a substitute";
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::leave_only);
  EXPECT_EQ(commits(), 0);
  job_.received(substitute(1));
  EXPECT_EQ(state(next), State::prepare);
  EXPECT_EQ(last_order().first.without_mpi, std::vector<int>{1});
}

TEST_F(JobTest, WithoutASubstituteForRanksNoneIsMovedAnyMore) {
  start();
  job_.left(1);
  const auto id = move(0, "node2");
  EXPECT_EQ(state(id), State::queued);
  for (int second = 0; second < 9; ++second) job_.tick();
  EXPECT_EQ(notes_, "[dismiss]");
  EXPECT_EQ(state(id), State::refused);
  EXPECT_EQ(refusal({{0}, "", {"node2"}}), "the agent of node1 has died: no rank can be moved any more");
  job_.received(substitute(1));
  EXPECT_EQ(notes_, "[dismiss][drop 1]");
}

TEST_F(JobTest, AnAgentThatIsLostAfterTheDecisionEndsTheJobIfItIsMissed) {
  start();
  const auto id = move(3, "node2");
  all_ready(id);
  job_.received(wire::Progress{.id = id, .phase = "commit"});
  job_.left(0);
  for (int second = 0; second < 61; ++second) job_.tick();
  EXPECT_EQ(state(id), State::damaged);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "commit has not ended within 60 s; the agent of node0 has died");
  EXPECT_EQ(notes_, "[end]");
}

TEST_F(JobTest, TheSubstituteOfALeaderTellsThatAllHaveCompleted) {
  start();
  const auto id = move(3, "node2");
  all_ready(id);
  job_.left(0);
  job_.received(wire::Substitute{.key = "key", .agent = 0, .confirmed = id - 1});
  EXPECT_FALSE(job_.migration(id)->over());
  job_.received(wire::Substitute{.key = "key", .agent = 0, .confirmed = id});
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(job_.migration(id)->messages.back(),
            "done, but how long it took is not known: the agent of node0 has died");
  EXPECT_EQ(std::get<wire::Placement>(sent_.back().second).agent_of, (std::vector<int>{0, 0, 1, 2}));
}

TEST_F(JobTest, ASubstituteIsToldOfThePlacesAfterTheCommit) {
  start();
  const auto id = move(3, "node2");
  all_ready(id);
  job_.left(1);
  const auto before = sent_.size();
  job_.received(substitute(1));
  EXPECT_EQ(sent_.size(), before);
  outcome(id);
  EXPECT_EQ(state(id), State::done);
  const auto* placement = std::get_if<wire::Placement>(&sent_.back().second);
  ASSERT_NE(placement, nullptr);
  EXPECT_EQ(placement->agent_of, (std::vector<int>{0, 0, 1, 2}));
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::leave_only);
}

TEST_F(JobTest, ASpareNodeThatVanishesIsSpared) {
  start();
  EXPECT_FALSE(job_.spare(1));  // two ranks
  EXPECT_EQ(notes_, "");
  EXPECT_TRUE(job_.spare(2));
  EXPECT_EQ(notes_, "[drop 2]");
  EXPECT_EQ(job_.view().nodes[2].state, plan::NodeState::down);
  job_.left(2);
  EXPECT_EQ(state(move(3, "node0")), State::prepare);
  outcome(1);
  finish();
  EXPECT_EQ(notes_, "[drop 2][over, orderly]");
  job_.gone(0, true);
  job_.gone(2, false);
  EXPECT_EQ(notes_, "[drop 2][over, orderly]");
  job_.gone(1, true);
  EXPECT_EQ(notes_, "[drop 2][over, orderly][complete]");
}

TEST_F(JobTest, TheAgentOfANodeWithoutRanksIsMissedByNobody) {
  start();
  outcome(move(3, "node2"));
  outcome(move(3, "node1"));
  EXPECT_EQ(last_order().first.agents, (std::vector<int>{0, 1, 2}));
  job_.left(2);
  EXPECT_EQ(notes_, "");
  EXPECT_EQ(job_.view().nodes[2].state, plan::NodeState::down);
  EXPECT_EQ(refusal({{3}, "", {"node2"}}), "node2 is down; migrate --add node2 brings it back");
  const auto id = move(3, "node0");
  const auto [order, agents] = last_order();
  EXPECT_EQ(agents, 2);
  EXPECT_EQ(order.agents, (std::vector<int>{0, 1}));
  for (const int agent : {0, 1}) job_.received(wire::Ready{id, agent});
  EXPECT_EQ(commits(), 2);
  outcome(id);
  EXPECT_EQ(state(id), State::done);
}

TEST_F(JobTest, RanksWhoseAgentHasASubstituteCanLeaveButNoneCanCome) {
  start();
  job_.received(substitute(0));
  EXPECT_EQ(job_.view().nodes[0].state, plan::NodeState::leave_only);
  const auto* placement = std::get_if<wire::Placement>(&sent_.back().second);
  ASSERT_NE(placement, nullptr);
  EXPECT_EQ(sent_.back().first, 0);
  EXPECT_EQ(placement->agent_of, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(refusal({{2}, "", {"node0"}}),
            "node0 has lost its agent: ranks can leave, but none can come; migrate --add node0 brings it back");
  const auto id = move(1, "node2");
  const auto [order, agents] = last_order();
  EXPECT_EQ(agents, 3);
  EXPECT_EQ(order.agents, (std::vector<int>{1, 2, 0})) << "one with MPI leads";
  EXPECT_EQ(order.without_mpi, std::vector<int>{0});
  for (const int agent : {1, 2}) job_.received(wire::Ready{id, agent});
  EXPECT_EQ(commits(), 0);
  job_.received(wire::Ready{id, 0});
  EXPECT_EQ(commits(), 3);
  outcome(id);
  EXPECT_EQ(state(evacuate("node0")), State::prepare);
  EXPECT_EQ(last_order().first.retire, std::vector<int>{0});
}

TEST_F(JobTest, AMigrationThatLosesAnAgentWithRanksIsUndoneByAll) {
  start();
  const auto id = move(3, "node2");
  job_.received(substitute(0));
  EXPECT_EQ(abandons(id), 3) << "the substitute's ranks may stand still";
  for (const int agent : {0, 1, 2}) abandoned(id, agent);
  for (int second = 0; second < 3; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "the agent of node0 has died");
  EXPECT_EQ(state(move(3, "node2")), State::prepare);
}

TEST_F(JobTest, RelaysWhatAgentsTellEachOtherInTheMigrationUnderWay) {
  start();
  const auto before = sent_.size();
  job_.received(wire::Relay{.id = 1, .from = 0, .to = 1, .tag = 5, .bytes = {7}});
  EXPECT_EQ(sent_.size(), before) << "there is no migration";
  const auto id = move(3, "node2");
  job_.received(wire::Relay{.id = id, .from = 0, .to = 1, .tag = 5, .bytes = {7}});
  EXPECT_EQ(sent_.back().first, 1);
  ASSERT_TRUE(std::holds_alternative<wire::Relay>(sent_.back().second));
  EXPECT_EQ(std::get<wire::Relay>(sent_.back().second).bytes, std::vector<int>{7});
}

TEST_F(JobTest, ASubstituteQuitsAsItsAgentWasTold) {
  start();
  for (const int agent : {0, 1}) job_.received(roster(agent, {2 * agent, 2 * agent + 1}, true));
  job_.received(substitute(0));
  EXPECT_EQ(sent_.back().first, 0);
  EXPECT_TRUE(std::holds_alternative<wire::Quit>(sent_.back().second));
}

TEST_F(JobTest, ASubstituteMayHaveASubstitute) {
  start();
  job_.received(substitute(0));
  job_.left(0);
  const auto id = move(3, "node2");
  EXPECT_EQ(state(id), State::queued);
  job_.received(substitute(0));
  EXPECT_EQ(state(id), State::prepare);
}

TEST_F(JobTest, AMigrationThatLosesASpareAgentIsUndoneByTheOthers) {
  start();
  const auto id = move(3, "node0"), next = move(2, "node0");
  job_.left(2);
  EXPECT_EQ(abandons(id), 2);
  abandoned(id, 0);
  for (int second = 0; second < 3; ++second) job_.tick();
  EXPECT_EQ(state(id), State::prepare) << "agent 1 has not answered";
  abandoned(id, 1);
  job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "the agent of node2 has died");
  EXPECT_EQ(state(next), State::prepare);
  EXPECT_EQ(last_order().first.agents, (std::vector<int>{0, 1}));
}

TEST_F(JobTest, AnAgentThatCannotReachTheOthersIsNotLost) {
  start();
  const auto id = move(3, "node2"), next = move(2, "node2");
  job_.received(wire::MpiFailed{id + 7, 1, "another migration's"});
  EXPECT_EQ(abandons(id), 0);
  job_.received(wire::MpiFailed{id, 1, "node1: MPI_Test has failed"});
  EXPECT_EQ(abandons(id), 3);
  all_ready(id);
  EXPECT_EQ(commits(), 0) << "it is given up";
  for (const int agent : {0, 1, 2}) abandoned(id, agent);
  for (int second = 0; second < 3; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "node1: MPI_Test has failed");
  EXPECT_EQ(state(next), State::prepare);
  EXPECT_EQ(last_order().second, 3);
}

TEST_F(JobTest, WhatTheLeaderSaysOfAnAbandonedMigrationCounts) {
  start();
  const auto id = move(3, "node2");
  job_.received(wire::MpiFailed{id, 1, "node1: MPI_Test has failed"});
  outcome(id, CPPC_ERR_TIMEOUT, "rank 1 is late");
  EXPECT_EQ(job_.migration(id)->outcome.reason, "rank 1 is late");
  EXPECT_EQ(state(move(3, "node2")), State::prepare);
}

TEST_F(JobTest, ANodeMayVanishWhenTheRanksOfTheOthersHaveEnded) {
  start();
  for (const int agent : {0, 1, 2}) job_.left(agent);
  for (const int agent : {0, 1}) job_.gone(agent, true);
  EXPECT_TRUE(job_.spare(2));
  EXPECT_NE(notes_.find("[complete]"), std::string::npos);
}

TEST_F(JobTest, WithoutWordOfTheRanksNothingIsComplete) {
  start();
  EXPECT_TRUE(job_.spare(2));
  job_.gone(0, true);
  job_.gone(1, false);
  EXPECT_EQ(notes_, "[drop 2]");
}

TEST_F(JobTest, ATargetThatVanishesIsSparedUntilTheDecision) {
  start();
  const auto decided = move(2, "node2");
  all_ready(decided);
  EXPECT_FALSE(job_.spare(2));
  outcome(decided, CPPC_ERR_CANCELLED, "another test");
  const auto id = move(3, "node2");
  EXPECT_TRUE(job_.spare(2));
  EXPECT_EQ(state(id), State::prepare);  // until the agents have undone it
  for (const int agent : {0, 1}) abandoned(id, agent);
  for (int second = 0; second < 3; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "node2 does not answer any more");
}

TEST_F(JobTest, AnAgentThatMpirunHasEndedSaysNothing) {
  start();
  const auto id = move(3, "node2");
  job_.left(0);
  job_.ended(139);
  for (int second = 0; second < 5; ++second) job_.tick();
  EXPECT_EQ(state(id), State::damaged);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "the job has ended with status 139");
}

TEST_F(JobTest, AnAgentThatDoesNotAnswerCostsTheMigration) {
  start();
  const auto id = move(3, "node2");
  const auto next = move(2, "node0");
  int seconds = 0;
  for (; abandons(id) == 0 && seconds < 1000; ++seconds) job_.tick();
  EXPECT_EQ(seconds, 71);  // as long as a replacement may take to start, and ten more
  for (const int agent : {0, 1}) abandoned(id, agent);
  for (; state(id) == State::prepare && seconds < 1000; ++seconds) job_.tick();
  EXPECT_EQ(seconds, 141);  // as long again: agents do not answer while they start a replacement
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason,
            "prepare has not ended within 70 s; the agent of node2 does not answer");
  EXPECT_EQ(notes_, "[drop 2]");
  EXPECT_EQ(state(next), State::prepare);
}

TEST_F(JobTest, ANodeThatIsLostWhileTheMigrationIsUndoneIsNamed) {
  start();
  const auto id = move(3, "node2");
  for (int second = 0; second < 71; ++second) job_.tick();
  for (const int agent : {0, 1}) abandoned(id, agent);
  EXPECT_TRUE(job_.spare(2));
  for (int second = 0; second < 3; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(job_.migration(id)->outcome.reason, "prepare has not ended within 70 s; node2 does not answer any more");
}

TEST_F(JobTest, AnAgentWithRanksThatDoesNotAnswerIsReplaced) {
  start();
  const auto id = move(3, "node2");
  for (int second = 0; second < 71; ++second) job_.tick();
  for (const int agent : {0, 2}) abandoned(id, agent);
  for (int second = 0; second < 70; ++second) job_.tick();
  EXPECT_EQ(state(id), State::failed);
  EXPECT_EQ(notes_, "[drop 1]");
  job_.received(substitute(1));
  EXPECT_EQ(state(move(0, "node2")), State::prepare);
}

}  // namespace
}  // namespace cppc::run
