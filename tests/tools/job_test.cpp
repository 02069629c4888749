#include <future>

#include "job_fixture.hpp"

namespace cppc::run {
namespace {

TEST_F(JobTest, RunsOnceAllAgentsAndRanksAreThere) {
  EXPECT_EQ(job_.view().state, Job::State::starting);
  join_all();
  job_.received(roster(0, {0, 1}));
  job_.received(roster(2, {}));
  EXPECT_EQ(job_.view().state, Job::State::starting);
  job_.received(roster(1, {2}));
  EXPECT_EQ(job_.view().state, Job::State::starting);
  job_.received(roster(1, {2, 3}));
  const Job::View view = job_.view();
  EXPECT_EQ(view.state, Job::State::running);
  ASSERT_EQ(view.ranks.size(), 4u);
  EXPECT_EQ(view.ranks[2].node, "node1");
  EXPECT_EQ(view.ranks[2].pid, 102);
  EXPECT_EQ(view.nodes[1].ranks, (std::vector<int>{2, 3}));
}

TEST_F(JobTest, CarriesOutAMigration) {
  start();
  const auto id = move(3, "node2");
  const auto [order, agents] = last_order();
  EXPECT_EQ(agents, 3);
  EXPECT_EQ(order.id, id);
  ASSERT_EQ(order.moves.size(), 1u);
  EXPECT_EQ(order.moves[0].rank, 3);
  EXPECT_EQ(order.moves[0].to, 2);
  EXPECT_TRUE(order.retire.empty());
  EXPECT_EQ(state(id), State::prepare);
  EXPECT_TRUE(job_.view().moving[3]);
  job_.received(wire::Progress{id, "ship", 5, 10});
  EXPECT_EQ(state(id), State::ship);
  EXPECT_EQ(job_.migration(id)->bytes_done, 5u);
  outcome(id);
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(job_.migration(id)->outcome.frozen_ms, 1);
  EXPECT_EQ(job_.view().ranks[3].node, "node2");
  EXPECT_FALSE(job_.view().moving[3]);
}

TEST_F(JobTest, AnAgentThatOnlyReceivesDoesNotSayHowFarAMigrationIs) {
  start();
  const auto id = move(3, "node2");
  job_.received(wire::Progress{id, "freeze", 0, 0, 0, {}});
  job_.received(wire::Progress{id, "negotiate", 0, 0, 2, {}});
  EXPECT_EQ(state(id), State::freeze);
  job_.received(wire::Progress{id, "ship", 5, 10, 1, {{3, 5, 10}}});
  EXPECT_EQ(state(id), State::ship);
  job_.received(wire::Progress{id, "ship", 0, 0, 0, {}});
  EXPECT_EQ(job_.migration(id)->bytes_total, 10u) << "the leader sends nothing, and that takes nothing away";
  EXPECT_EQ(job_.migration(id)->timeline.phases().size(), 3u);
}

TEST_F(JobTest, SaysForWhomANegotiationWaits) {
  start();
  const auto id = move(3, "node2");
  job_.received(wire::Progress{id, "negotiate", 0, 0, 0, {}});
  job_.received(wire::Late{id, 1, "rank 3 is late"});
  job_.received(wire::Late{id, 0, "rank 0 is late"});
  job_.received(wire::Late{id + 1, 2, "another migration's"});
  using Reasons = std::map<int, std::string>;
  EXPECT_EQ(job_.migration(id)->waits_for, (Reasons{{0, "rank 0 is late"}, {1, "rank 3 is late"}}));
  job_.received(wire::Late{id, 0, ""});
  EXPECT_EQ(job_.migration(id)->waits_for, (Reasons{{1, "rank 3 is late"}}));
  job_.received(wire::Progress{id, "freeze", 0, 0, 0, {}});
  EXPECT_EQ(job_.migration(id)->waits_for, Reasons{});
}

TEST_F(JobTest, DetailsComeFromTheNodeThatTheRankIsOn) {
  start();
  job_.received(roster(2, {3}));  // the replacement, while rank 3 still works on node1
  EXPECT_EQ(job_.view().ranks[3].pid, 103);
  EXPECT_EQ(job_.view().ranks[3].node, "node1");
}

TEST_F(JobTest, OneMigrationAtATimeInTheirOrder) {
  start();
  const auto first = move(3, "node2"), second = move(3, "node0"), third = move(0, "node2");
  EXPECT_EQ(orders(), 3);
  EXPECT_EQ(state(second), State::queued);
  EXPECT_EQ(job_.migration(second)->moves[0].from, "node2") << "planned with the first as done";
  outcome(first);
  EXPECT_EQ(state(second), State::prepare);
  EXPECT_EQ(state(third), State::queued);
  outcome(second);
  outcome(third);
  EXPECT_EQ(orders(), 9);
  EXPECT_EQ(job_.view().ranks[3].node, "node0");
}

TEST_F(JobTest, AQueuedMigrationIsPlannedAgainWhenItsTurnComes) {
  start();
  const auto first = move(3, "node2"), second = move(3, "node1");
  outcome(first, CPPC_ERR_NOT_QUIET, "messages in flight");
  EXPECT_EQ(state(first), State::failed);
  EXPECT_EQ(job_.migration(first)->outcome.reason, "messages in flight");
  EXPECT_EQ(state(second), State::refused);
  EXPECT_EQ(job_.migration(second)->outcome.reason, "rank 3 is on node1 already");
  EXPECT_EQ(state(move(3, "node2")), State::prepare) << "the queue goes on";
}

TEST_F(JobTest, WhatAnEarlierMigrationWouldMakeNeedlessWaitsForItsEnd) {
  start();
  const auto first = move(3, "node2"), second = move(3, "node2");
  EXPECT_EQ(state(second), State::queued);
  outcome(first, CPPC_ERR_CANCELLED, "given up on request");
  EXPECT_EQ(state(second), State::prepare);
  const auto third = move(3, "node2");
  outcome(second);
  EXPECT_EQ(state(third), State::refused);
  EXPECT_EQ(job_.migration(third)->outcome.reason, "rank 3 is on node2 already");
}

TEST_F(JobTest, ARequestDuringStartUpWaits) {
  const auto id = move(3, "node2");
  EXPECT_EQ(state(id), State::queued);
  EXPECT_TRUE(job_.migration(id)->moves.empty());
  const auto dry_run = job_.plan({{3}, "", {"node2"}});
  ASSERT_FALSE(dry_run.has_value());
  EXPECT_EQ(dry_run.error().kind, Job::Refusal::Kind::starting);
  start();
  EXPECT_EQ(state(id), State::prepare);
  EXPECT_EQ(job_.migration(id)->moves.size(), 1u);
}

TEST_F(JobTest, RefusesWhatThePlanRefuses) {
  start();
  EXPECT_EQ(refusal({{7}, "", {"node2"}}), "there is no rank 7: the job has ranks 0 to 3");
  EXPECT_EQ(refusal({{}, "node9", {}}), "there is no node node9: the job has node0, node1, node2");
  EXPECT_FALSE(job_.migration(1).has_value());
  EXPECT_FALSE(job_.migration(0).has_value());
}

TEST_F(JobTest, AnEvacuationIsDoneWhenTheAgentHasExited) {
  start();
  const auto id = evacuate("node1");
  EXPECT_EQ(last_order().first.retire, std::vector<int>{1});
  outcome(id);
  EXPECT_EQ(notes_, "[give up 1]");
  EXPECT_FALSE(job_.migration(id)->over());
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::up) << "its processes have not gone yet";
  job_.left(1);
  EXPECT_EQ(notes_, "[give up 1][await exit 1]");
  EXPECT_FALSE(job_.migration(id)->over());
  job_.retired(1);
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(job_.migration(id)->messages, std::vector<std::string>{"node1: nothing of this job is left"});
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::evacuated);
  job_.retired(1);
  EXPECT_EQ(job_.migration(id)->messages.size(), 1u);
  EXPECT_EQ(refusal({{0}, "", {"node1"}}),
            "node1 has been evacuated and is no longer part of the job; migrate --add node1 brings it back");
}

TEST_F(JobTest, TheAgentMayLeaveBeforeItsMigrationIsKnownToBeDone) {
  start();
  const auto id = evacuate("node1");
  all_ready(id);
  job_.left(1);
  EXPECT_EQ(notes_, "");
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::up);
  outcome(id);
  EXPECT_EQ(notes_, "[give up 1][await exit 1]");
  job_.retired(1);
  EXPECT_EQ(state(id), State::done);
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::evacuated);
}

TEST_F(JobTest, AMigrationIsDecidedWhenAllAgentsAreReady) {
  start();
  const auto id = move(3, "node2");
  job_.received(wire::Ready{id, 0});
  job_.received(wire::Ready{id, 2});
  job_.received(wire::Ready{id, 2});
  job_.received(wire::Ready{id + 1, 1});
  EXPECT_EQ(commits(), 0);
  job_.received(wire::Ready{id, 1});
  EXPECT_EQ(commits(), 3);
  outcome(id);
  EXPECT_EQ(state(id), State::done);
}

TEST_F(JobTest, ACommitThatDoesNotEndEndsTheJob) {
  start();
  const auto id = move(3, "node2");
  for (int second = 0; second < 40; ++second) job_.tick();
  all_ready(id);
  for (int second = 0; second < 60; ++second) job_.tick();
  EXPECT_FALSE(job_.migration(id)->over());
  job_.tick();
  EXPECT_EQ(state(id), State::damaged);
  EXPECT_EQ(notes_, "[end]");
}

TEST_F(JobTest, OnItsOwnNodeCppcRunIsLeft) {
  start();
  const auto id = evacuate("node0");
  outcome(id);
  job_.left(0);
  job_.retired(0);
  ASSERT_EQ(job_.migration(id)->messages.size(), 1u);
  EXPECT_NE(job_.migration(id)->messages[0].find("cppc-run and mpirun"), std::string::npos);
}

TEST_F(JobTest, OfARankCountsWhatTheAgentOfItsNodeHasSaidLast) {
  start();
  job_.received(roster(2, {3}));  // it is not there yet
  EXPECT_EQ(job_.view().ranks[3].pid, 103);
  const auto id = move(3, "node2");
  wire::Roster replacement = roster(2, {3});
  replacement.ranks[0].pid = 777;
  job_.received(replacement);
  EXPECT_EQ(job_.view().ranks[3].pid, 103);
  outcome(id);
  EXPECT_EQ(job_.view().ranks[3].pid, 777);
  job_.received(roster(2, {}));
  EXPECT_EQ(job_.view().ranks[3].pid, 0);
  job_.received(roster(2, {3}, true));
  EXPECT_TRUE(job_.view().ranks[3].finished);
}

TEST_F(JobTest, RetiredAgentsAreToldNothing) {
  start();
  const auto id = evacuate("node1");
  outcome(id);
  job_.left(1);
  job_.retired(1);
  move(0, "node2");
  EXPECT_EQ(last_order().second, 2);
}

TEST_F(JobTest, AnAgentThatIsLostTakesItsNodeWithIt) {
  start();
  job_.left(1);
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::leave_only);
  EXPECT_EQ(refusal({{0}, "", {"node1"}}),
            "node1 has lost its agent: ranks can leave, but none can come; migrate --add node1 brings it back");
  job_.left(0);
  job_.left(2);
  EXPECT_EQ(notes_, "[over, orderly]");
}

TEST_F(JobTest, WhenEveryRankHasFinishedAgentsAreToldToQuit) {
  start();
  job_.received(roster(0, {0, 1}, true));
  EXPECT_EQ(refusal({{2}, "", {"node2"}}), "the job is finishing: rank 0 is in MPI_Finalize, or has ended");
  EXPECT_TRUE(sent_.empty());
  job_.received(roster(1, {2, 3}, true));
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<wire::Quit>(sent_[0].second));
  for (const int agent : {0, 1, 2}) job_.left(agent);
  EXPECT_EQ(notes_, "[over, orderly]");
  EXPECT_EQ(job_.view().nodes[1].state, plan::NodeState::up);
}

TEST_F(JobTest, AgentsQuitOnlyAfterTheMigrationUnderWay) {
  start();
  const auto id = move(3, "node2");
  sent_.clear();
  job_.received(roster(0, {0, 1}, true));
  job_.received(roster(1, {2, 3}, true));
  EXPECT_TRUE(sent_.empty());
  outcome(id, CPPC_ERR_CANCELLED, "rank 0 is in MPI_Finalize");
  EXPECT_EQ(sent_.size(), 3u);
}

TEST_F(JobTest, CancelsWhatWaitsAtOnceAndWhatIsUnderWayByTheAgents) {
  start();
  const auto first = move(3, "node2"), second = move(0, "node2");
  EXPECT_TRUE(job_.cancel(second));
  EXPECT_EQ(state(second), State::failed);
  EXPECT_EQ(job_.migration(second)->outcome.status, CPPC_ERR_CANCELLED);
  sent_.clear();
  EXPECT_TRUE(job_.cancel(first));
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_EQ(std::get<wire::Cancel>(sent_[0].second).id, first);
  EXPECT_EQ(state(first), State::prepare);
  outcome(first, CPPC_ERR_CANCELLED, "cancelled");
  EXPECT_EQ(state(first), State::failed);
  EXPECT_TRUE(job_.cancel(first));
  EXPECT_FALSE(job_.cancel(99));
}

TEST_F(JobTest, NewsOfOtherMigrationsIsIgnored) {
  start();
  const auto id = move(3, "node2");
  job_.received(wire::Progress{id + 1, "commit", 1, 1});
  outcome(id + 1);
  EXPECT_EQ(state(id), State::prepare);
  outcome(id);
  outcome(id, CPPC_ERR_MPI, "too late");
  EXPECT_EQ(state(id), State::done);
}

TEST_F(JobTest, KeepsTheDetailsOfTheLastMigrationsOnly) {
  start();
  const auto first = move(3, "node2");
  job_.received(wire::Progress{.id = first, .phase = "prepare", .agent = 0});
  job_.received(wire::Outcome{.id = first, .frozen_ms = 5, .downtime_ms = {1, 2, 3, 4}});
  move(0, "node2");  // under way, so that the others wait
  while (job_.migrations().size() < Job::most_detailed) job_.cancel(move(1, "node1"));
  EXPECT_FALSE(job_.migration(first)->timeline.phases().empty());
  job_.cancel(move(1, "node1"));
  const Migration old = job_.migration(first).value();
  EXPECT_FALSE(old.detailed);
  EXPECT_TRUE(old.timeline.phases().empty());
  EXPECT_TRUE(old.outcome.downtime_ms.empty());
  EXPECT_EQ(old.outcome.frozen_ms, 5);
  EXPECT_EQ(old.state, State::done);
  EXPECT_TRUE(job_.migration(first + 1)->detailed);
}

TEST_F(JobTest, TheEndOfTheJobEndsItsMigrations) {
  start();
  const auto first = move(3, "node2"), second = move(0, "node2");
  job_.ended(9);
  EXPECT_EQ(state(first), State::damaged);
  EXPECT_EQ(state(second), State::refused);
  EXPECT_EQ(job_.migration(second)->outcome.reason, "the job has ended with status 9");
  const auto late = job_.submit({{0}, "", {"node2"}}, 60);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().kind, Job::Refusal::Kind::ended);
}

TEST_F(JobTest, AJobThatWasToldToEndIsNotDamaged) {
  start();
  const auto first = move(3, "node2"), second = move(0, "node2");
  job_.ended(130, /*on_request=*/true);
  for (const auto id : {first, second}) {
    EXPECT_EQ(state(id), State::refused);
    EXPECT_EQ(job_.migration(id)->outcome.reason, "the job was told to end, and has ended with status 130");
  }
}

TEST_F(JobTest, AJobThatEndsWellDamagesNothing) {
  start();
  const auto id = move(3, "node2");
  job_.ended(0);
  EXPECT_EQ(state(id), State::failed);
}

TEST_F(JobTest, AnEvacuationThatIsCompleteButForTheExitIsDoneAtTheEnd) {
  start();
  const auto id = evacuate("node1");
  outcome(id);
  job_.ended(0);
  EXPECT_EQ(state(id), State::done);
  EXPECT_TRUE(job_.migration(id)->messages.empty());
}

TEST_F(JobTest, RefreshWaitsForAllRosters) {
  start();
  auto refreshed = std::async(std::launch::async, [this] { job_.refresh(); });
  while (surveys_ < 3) std::this_thread::yield();
  job_.received(roster(0, {0, 1}));
  job_.received(roster(1, {2, 3}));
  job_.received(wire::Roster{2, {}, 2, 7});
  refreshed.get();
  EXPECT_EQ(job_.view().nodes[2].memory_free, 7u);
}

TEST_F(JobTest, WatchersAreToldHowTheirMigrationEnded) {
  start();
  const auto id = move(3, "node2");
  EXPECT_EQ(state(id), State::prepare);
  job_.ended(1);
  auto waiting = std::async(std::launch::async, [this] { job_.await_watchers(); });
  EXPECT_EQ(state(id), State::damaged);
  waiting.get();
}

TEST_F(JobTest, WatchersThatHaveGoneAreNotWaitedFor) {
  start();
  const auto gone = move(3, "node2"), asking = move(2, "node2");
  for (int second = 0; second < 5; ++second) job_.tick();
  EXPECT_EQ(state(asking), State::queued);
  job_.tick();
  job_.ended(0);
  auto waiting = std::async(std::launch::async, [this] { job_.await_watchers(); });
  EXPECT_EQ(state(asking), State::refused);
  waiting.get();
  EXPECT_EQ(state(gone), State::failed);
}

TEST_F(JobTest, WatchersThatGoAtTheEndAreWaitedForABit) {
  start();
  const auto id = move(3, "node2");
  job_.ended(0);
  auto waiting = std::async(std::launch::async, [this] { job_.await_watchers(); });
  while (waiting.wait_for(std::chrono::seconds(0)) != std::future_status::ready) job_.tick();
  EXPECT_EQ(state(id), State::failed);
}

}  // namespace
}  // namespace cppc::run
