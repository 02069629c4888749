/// What is decided about notices, with a clock of the test's.
#include "engine.hpp"

#include <gtest/gtest.h>

namespace cppc::health {
namespace {

using namespace std::chrono_literals;
using Kind = Event::Kind;
using Stage = Evacuation::Stage;

Rule rule(Action action, Time hold = 0s, Time clear = 0s) {
  Rule one;
  one.action = action;
  one.deadline = 600s;
  one.hold = hold;
  one.clear = clear;
  one.line = 7;
  return one;
}

Notice notice(const std::string& node, const std::string& key = "k", bool firing = true) {
  Notice one;
  one.key = key;
  one.source = "test";
  one.node = node;
  one.reason = "memory fails";
  one.firing = firing;
  return one;
}

class EngineTest : public testing::Test {
 protected:
  void start(std::vector<Rule> rules, Brakes brakes = {10, 100, 1}, int nodes = 4) {
    engine_.emplace(std::move(rules), brakes, Retries{3, 10s});
    std::set<std::string> names;
    for (int i = 0; i < nodes; ++i) names.insert("node" + std::to_string(i));
    engine_->set_nodes(names);
  }
  std::vector<std::string> begun(Time now) {
    std::vector<std::string> nodes;
    for (const auto& start : engine_->advance(now)) nodes.push_back(start.node);
    return nodes;
  }
  int count(Kind kind) {
    const auto more = engine_->events();
    seen_.insert(seen_.end(), more.begin(), more.end());
    return static_cast<int>(std::ranges::count_if(seen_, [&](const Event& event) { return event.kind == kind; }));
  }
  Stage stage(const std::string& node) { return engine_->evacuations().at(node).stage; }
  using Nodes = std::vector<std::string>;

  std::optional<Engine> engine_;
  std::vector<Event> seen_;
};

TEST_F(EngineTest, ANoticeThatARuleTakesSeriouslyEmptiesItsNodeOnce) {
  start({rule(Action::evacuate)});
  EXPECT_TRUE(engine_->take(notice("node1"), 5s));
  EXPECT_EQ(begun(5s), Nodes{"node1"});
  EXPECT_FALSE(engine_->take(notice("node1"), 6s)) << "said again";
  EXPECT_TRUE(engine_->take(notice("node1", "other"), 6s)) << "another notice of the same node";
  EXPECT_EQ(begun(6s), Nodes{});
  engine_->ended("node1", Outcome::emptied, "safe to power off", 9s);
  EXPECT_EQ(begun(2h), Nodes{});
  EXPECT_EQ(stage("node1"), Stage::emptied);
  EXPECT_EQ(count(Kind::begun), 1);
  EXPECT_NE(engine_->evacuations().at("node1").cause.find("memory fails (k); test: memory fails (other)"),
            std::string::npos);
}

TEST_F(EngineTest, TheFirstRuleThatMatchesCounts) {
  Rule memory = rule(Action::avoid);
  memory.labels = {{"cppc", "av*"}};
  Rule critical = rule(Action::evacuate);
  critical.severity = "critical";
  critical.node = "node[12]";
  start({memory, critical});
  Notice one = notice("node1");
  one.severity = "critical";
  one.labels = {{"cppc", "avoid"}};
  engine_->take(one, 0s);
  EXPECT_EQ(begun(0s), Nodes{});
  EXPECT_EQ(engine_->avoided(), std::set<std::string>{"node1"});
  one.node = "node3", one.key = "3", one.labels = {};
  EXPECT_FALSE(engine_->take(one, 0s));
  EXPECT_EQ(count(Kind::no_rule), 1);
  one.node = "node2", one.key = "2";
  engine_->take(one, 0s);
  EXPECT_EQ(begun(0s), Nodes{"node2"});
}

TEST_F(EngineTest, AnUnknownNodeIsSaidOnceAndCounted) {
  start({rule(Action::evacuate)});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(engine_->take(notice("node9", std::to_string(i)), 0s));
  EXPECT_EQ(begun(0s), Nodes{});
  EXPECT_EQ(count(Kind::unknown_node), 3);
  EXPECT_EQ(std::ranges::count_if(seen_, [](const Event& event) { return !event.text.empty(); }), 1);
  EXPECT_TRUE(engine_->take(engine_->named(notice("node1.example.org")), 0s)) << "the same node with its domain";
  EXPECT_EQ(engine_->named(notice("node9.example.org")).node, "node9.example.org");
  EXPECT_EQ(begun(0s), Nodes{"node1"});
}

TEST_F(EngineTest, ResolvedTakesBackWhatStillWaits) {
  start({rule(Action::evacuate)}, {1, 100, 1});
  engine_->take(notice("node1", "a"), 0s);
  engine_->take(notice("node2", "b"), 1s);
  EXPECT_EQ(begun(1s), Nodes{"node1"});
  EXPECT_TRUE(engine_->take(notice("node2", "b", false), 2s));
  EXPECT_FALSE(engine_->take(notice("node2", "b", false), 2s)) << "said again";
  EXPECT_FALSE(engine_->take(notice("node2", "never said", false), 2s));
  EXPECT_EQ(begun(2s), Nodes{});
  engine_->ended("node1", Outcome::emptied, "", 3s);
  EXPECT_EQ(begun(3s), Nodes{});
  EXPECT_EQ(count(Kind::taken_back), 1);
  EXPECT_FALSE(engine_->evacuations().contains("node2"));
}

TEST_F(EngineTest, ResolvedDoesNotStopWhatIsUnderWay) {
  start({rule(Action::evacuate)});
  engine_->take(notice("node1"), 0s);
  EXPECT_EQ(begun(0s), Nodes{"node1"});
  engine_->take(notice("node1", "k", false), 1s);
  EXPECT_EQ(begun(1s), Nodes{});
  EXPECT_EQ(stage("node1"), Stage::running);
  engine_->ended("node1", Outcome::emptied, "", 2s);
  begun(2s);
  EXPECT_EQ(count(Kind::usable), 1) << "it may be used again";
  EXPECT_TRUE(engine_->avoided().empty());
  engine_->take(notice("node1"), 3s);
  EXPECT_EQ(begun(3s), Nodes{"node1"}) << "and condemned again";
}

TEST_F(EngineTest, AHoldWaitsUntilItHasFiredForSoLong) {
  start({rule(Action::evacuate, 30s)});
  engine_->take(notice("node1"), 0s);
  EXPECT_EQ(begun(29s), Nodes{});
  EXPECT_EQ(engine_->next(29s), Time(30s));
  EXPECT_EQ(begun(30s), Nodes{"node1"});
}

TEST_F(EngineTest, ACycleOfFiringAndResolvedMovesNothingWithinTheHold) {
  start({rule(Action::evacuate, 30s)});
  for (Time now = 0s; now < 10min; now += 20s) {
    engine_->take(notice("node1"), now);
    EXPECT_EQ(begun(now + 10s), Nodes{});
    engine_->take(notice("node1", "k", false), now + 10s);
    EXPECT_EQ(begun(now + 10s), Nodes{});
  }
}

TEST_F(EngineTest, WhatIsResolvedForAShortTimeOnlyIsNotGone) {
  start({rule(Action::evacuate, 30s, 20s)});
  engine_->take(notice("node1"), 0s);
  engine_->take(notice("node1", "k", false), 25s);
  EXPECT_EQ(begun(31s), Nodes{}) << "it does not fire now";
  EXPECT_EQ(engine_->avoided(), std::set<std::string>{"node1"});
  EXPECT_TRUE(engine_->take(notice("node1"), 40s));
  EXPECT_EQ(begun(40s), Nodes{"node1"}) << "it has fired since 0 s";
  engine_->ended("node1", Outcome::emptied, "", 41s);
  engine_->take(notice("node1", "k", false), 50s);
  begun(69s);
  EXPECT_TRUE(engine_->evacuations().contains("node1"));
  begun(70s);
  EXPECT_FALSE(engine_->evacuations().contains("node1"));
}

TEST_F(EngineTest, AStormForAllNodesEmptiesNoMoreThanTheBrakesAllow) {
  start({rule(Action::evacuate)}, {2, 5, 3}, 100);
  for (int i = 0; i < 500; ++i)
    engine_->take(notice("node" + std::to_string(i % 100), "alert" + std::to_string(i)), 0s);
  std::set<std::string> emptied, running;
  for (Time now = 0s; now < 59min; now += 1s) {
    for (const auto& node : begun(now)) emptied.insert(node), running.insert(node);
    ASSERT_LE(running.size(), 2u);
    if (now.count() % 7000 != 0) continue;
    for (const auto& node : running) engine_->ended(node, Outcome::emptied, "", now);
    running.clear();
  }
  EXPECT_EQ(emptied.size(), 5u);
  EXPECT_EQ(count(Kind::expired), 95) << "each is said to be left alone";
  EXPECT_GT(count(Kind::held), 90);
}

TEST_F(EngineTest, TheLastNodesAreKept) {
  start({rule(Action::evacuate)}, {10, 100, 3});
  for (int i = 0; i < 4; ++i) engine_->take(notice("node" + std::to_string(i), std::to_string(i)), 0s);
  EXPECT_EQ(begun(0s), Nodes{"node0"});
  EXPECT_EQ(begun(500s), Nodes{});
  EXPECT_EQ(engine_->evacuations().at("node3").summary, "keep_nodes = 3");
}

TEST_F(EngineTest, AnHourLaterTheNextMayBegin) {
  Rule patient = rule(Action::evacuate);
  patient.deadline = 24h;
  start({patient}, {10, 1, 1});
  engine_->take(notice("node1", "1"), 0s);
  engine_->take(notice("node2", "2"), 0s);
  EXPECT_EQ(begun(0s), Nodes{"node1"});
  engine_->ended("node1", Outcome::emptied, "", 10s);
  EXPECT_EQ(begun(1h - 1s), Nodes{});
  EXPECT_EQ(engine_->next(1h - 1s), Time(1h));
  EXPECT_EQ(begun(1h), Nodes{"node2"});
}

TEST_F(EngineTest, TheMostUrgentGoesFirstAndTheNoticeMaySayHowUrgent) {
  Rule from_notice = rule(Action::evacuate);
  from_notice.deadline_from_notice = true;
  start({from_notice}, {1, 100, 1});
  engine_->take(notice("node0", "0"), 0s);
  Notice urgent = notice("node3", "3");
  urgent.deadline_s = 120;
  engine_->take(urgent, 0s);
  const auto starts = engine_->advance(1s);
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].node, "node3");
  EXPECT_EQ(starts[0].left, Time(119s));
  EXPECT_EQ(engine_->evacuations().at("node0").deadline, Time(600s)) << "the rule's, where the notice says nothing";
}

TEST_F(EngineTest, TriesAgainSomeTimesAndThenSaysThatItHasGivenUp) {
  start({rule(Action::evacuate)});
  engine_->take(notice("node1"), 0s);
  EXPECT_EQ(begun(0s), Nodes{"node1"});
  engine_->ended("node1", Outcome::failed, "job a refuses", 1s);
  EXPECT_EQ(begun(10s), Nodes{});
  EXPECT_EQ(begun(11s), Nodes{"node1"});
  engine_->ended("node1", Outcome::failed, "job a refuses", 12s);
  EXPECT_EQ(begun(22s), Nodes{"node1"});
  engine_->ended("node1", Outcome::failed, "job a refuses", 23s);
  EXPECT_EQ(begun(100s), Nodes{});
  EXPECT_EQ(stage("node1"), Stage::failed);
  EXPECT_EQ(engine_->evacuations().at("node1").summary, "job a refuses");
  EXPECT_EQ(count(Kind::given_up), 1);
  engine_->take(notice("node1", "asked for again"), 101s);
  EXPECT_EQ(begun(101s), Nodes{"node1"});
  engine_->ended("node1", Outcome::hopeless, "a job is damaged", 102s);
  EXPECT_EQ(stage("node1"), Stage::failed) << "no second attempt";
}

TEST_F(EngineTest, AfterTheDeadlineNothingIsBegun) {
  start({rule(Action::evacuate)});
  engine_->take(notice("node1"), 0s);
  EXPECT_EQ(begun(0s), Nodes{"node1"});
  engine_->ended("node1", Outcome::failed, "not done in time", 595s);
  EXPECT_EQ(stage("node1"), Stage::failed) << "the next attempt would be too late";
  EXPECT_EQ(begun(700s), Nodes{});
}

TEST_F(EngineTest, WhatWasRecordedGoesOnWhereItStood) {
  start({rule(Action::evacuate)}, {1, 3, 1});
  engine_->replay_notice(notice("node0", "0"), 0s);
  engine_->replay_start("node0", 1s);
  engine_->replay_end("node0", Outcome::emptied, "safe to power off", 5s);
  engine_->replay_notice(notice("node1", "1"), 10s);
  engine_->replay_start("node1", 11s);
  engine_->replay_notice(notice("node2", "2"), 12s);
  engine_->replay_notice(notice("node3", "3"), 13s);
  engine_->replay_notice(notice("node3", "3", false), 14s);
  engine_->go_on(20s);
  EXPECT_EQ(stage("node0"), Stage::emptied);
  EXPECT_FALSE(engine_->evacuations().contains("node3")) << "resolved";
  const auto starts = engine_->advance(20s);
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].node, "node1");
  EXPECT_EQ(starts[0].attempt, 2);
  EXPECT_EQ(starts[0].left, Time(590s)) << "from the first time it was said";
  engine_->ended("node1", Outcome::emptied, "", 21s);
  EXPECT_EQ(begun(21s), Nodes{"node2"});
  engine_->ended("node2", Outcome::emptied, "", 22s);
  engine_->take(notice("node3", "again"), 23s);
  EXPECT_EQ(begun(23s), Nodes{}) << "three of this hour, those of the other life included";
  EXPECT_EQ(engine_->evacuations().at("node3").summary, "per_hour = 3");
}

TEST_F(EngineTest, ANodeThatWasRepairedAndFailsAgainIsAnotherEvacuationInTheRecordToo) {
  start({rule(Action::evacuate)});
  engine_->replay_notice(notice("node1", "old"), 0s);
  engine_->replay_start("node1", 0s);
  engine_->replay_end("node1", Outcome::emptied, "", 1s);
  engine_->replay_notice(notice("node1", "old", false), 2s);
  engine_->replay_notice(notice("node1", "new"), 3s);
  engine_->go_on(4s);
  EXPECT_EQ(begun(4s), Nodes{"node1"});
}

TEST_F(EngineTest, ThereIsAnEndToWhatIsKept) {
  start({rule(Action::log)});
  for (int i = 0; i < 10'001; ++i) engine_->take(notice("node1", std::to_string(i)), 0s);
  EXPECT_EQ(engine_->conditions().size(), 10'000u);
  EXPECT_EQ(count(Kind::too_many), 1);
}

}  // namespace
}  // namespace cppc::health
