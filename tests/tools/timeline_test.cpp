/// What becomes of the agents' news: bytes, rates, traces.
#include "timeline.hpp"

#include <gtest/gtest.h>

#include <set>

#include "trace_json.hpp"

namespace cppc::run {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const Timeline::Clock::time_point start{};

wire::Progress news(int agent, const std::string& phase, std::vector<wire::Shipment> ranks = {}) {
  wire::Progress progress{.id = 1, .phase = phase, .agent = agent, .ranks = std::move(ranks)};
  for (const wire::Shipment& one : progress.ranks) {
    progress.bytes_done += one.bytes_done;
    progress.bytes_total += one.bytes_total;
  }
  return progress;
}

TEST(Timeline, AddsUpWhatAllAgentsSend) {
  Timeline timeline;
  timeline.take(news(1, "prepare", {{3, 77, 77}}), start);  // remains of the migration before
  EXPECT_EQ(timeline.bytes_total(), 0u);
  EXPECT_FALSE(timeline.rate());
  timeline.take(news(1, "ship", {{3, 100, 1000}}), start + 1s);
  timeline.take(news(2, "ship", {{4, 300, 2000}, {5, 0, 500}}), start + 2s);
  timeline.take(news(0, "ship"), start + 2s);
  EXPECT_EQ(timeline.bytes_done(), 400u);
  EXPECT_EQ(timeline.bytes_total(), 3500u);
  EXPECT_DOUBLE_EQ(timeline.rate().value(), 300.0);
  timeline.take(news(1, "commit", {{3, 1000, 1000}}), start + 3s);
  timeline.take(news(1, "commit", {{3, 1000, 1000}}), start + 9s);
  EXPECT_DOUBLE_EQ(timeline.rate().value(), 600.0) << "up to the last byte";
  EXPECT_EQ(timeline.phases().at(1).size(), 3u);
  EXPECT_EQ(timeline.shipping().at(3).samples.back().bytes, 1000u);
}

TEST(Timeline, KeepsSomeSamplesOfALongTransfer) {
  Timeline timeline;
  for (std::uint64_t i = 0; i <= 100'000; ++i)
    timeline.take(news(1, "ship", {{3, i, 100'000}}), start + std::chrono::milliseconds(i));
  const auto& samples = timeline.shipping().at(3).samples;
  EXPECT_LE(samples.size(), 210u);
  EXPECT_GE(samples.size(), 190u);
  EXPECT_EQ(samples.back().bytes, 100'000u);
}

Migration evacuation() {
  Migration migration;
  migration.id = 3;
  migration.request.evacuate = "node1";
  migration.moves = {{2, "node1", "node2"}};
  migration.requested = start;
  migration.started = start + 10ms;
  migration.timeline.take(news(0, "prepare"), start + 11ms);
  migration.timeline.take(news(1, "prepare"), start + 12ms);
  migration.timeline.take(news(0, "commit"), start + 60ms);
  migration.timeline.take(news(1, "ship", {{2, 10, 40}}), start + 30ms);
  migration.timeline.take(news(1, "ship", {{2, 40, 40, 1}}), start + 50ms);
  migration.outcome.response_ms = 80;
  migration.outcome.downtime_ms = {5, 0, 60};
  migration.carried_out = start + 100ms;
  migration.ended = start + 120ms;
  migration.state = Migration::State::done;
  return migration;
}

TEST(Trace, HasALaneForEachAgentAndRankThatTakesPart) {
  const Job::Description description{"app-1", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head"};
  const json all = trace(description, evacuation());
  std::map<std::string, std::pair<double, double>> spans;
  std::set<std::string> names;
  int samples = 0;
  for (const json& one : all["traceEvents"]) {
    if (one["ph"] == "M") names.insert(one["args"]["name"]);
    if (one["ph"] == "C") ++samples;
    if (one["ph"] != "X") continue;
    const std::string lane = std::to_string(one["pid"].get<int>()) + "/" + std::to_string(one["tid"].get<int>());
    spans[lane + " " + one["name"].get<std::string>()] = {one["ts"], one["dur"]};
    if (one["name"] == "ship" && one["pid"] == 3) {
      EXPECT_EQ(one["args"]["chunks_again"], 1);
    }
    EXPECT_GE(one["dur"], 0);
  }
  const std::set<std::string> wanted{
      "cppc-run: job app-1", "agents", "ranks", "agent of node0", "agent of node1", "rank 0", "rank 2: node1 to node2"};
  EXPECT_EQ(names, wanted);
  EXPECT_EQ(samples, 2);
  using Span = std::pair<double, double>;
  EXPECT_EQ(spans.at("1/0 queued"), Span(0, 10'000));
  EXPECT_EQ(spans.at("1/0 migration 3"), Span(10'000, 90'000));
  EXPECT_EQ(spans.at("1/0 give up node1"), Span(100'000, 20'000));
  EXPECT_EQ(spans.at("2/0 prepare"), Span(11'000, 49'000));
  EXPECT_EQ(spans.at("2/0 commit"), Span(60'000, 40'000));
  EXPECT_EQ(spans.at("2/1 ship"), Span(30'000, 70'000));
  EXPECT_EQ(spans.at("3/2 ship"), Span(30'000, 20'000));
  EXPECT_EQ(spans.at("3/2 stands still"), Span(30'000, 60'000));
  EXPECT_EQ(spans.at("3/0 stands still"), Span(85'000, 5'000));
  EXPECT_EQ(all["otherData"]["state"], "done");
}

TEST(Trace, NamesWhatFollowsTheAgentsReport) {
  const auto last_span = [](const Migration& migration) {
    const json all = trace({"app-1", "./app", {{"node0", 2}, {"node1", 2}, {"node2", 2}}, "head"}, migration);
    std::string last;
    for (const json& one : all["traceEvents"])
      if (one["ph"] == "X" && one["pid"] == 1) last = one["name"];
    return last;
  };
  Migration migration = evacuation();
  EXPECT_EQ(last_span(migration), "give up node1");
  migration.request.evacuate.clear();
  EXPECT_EQ(last_span(migration), "migration 3") << "of one that only moves ranks nothing is left to do";
  migration.draft.emplace();
  EXPECT_EQ(last_span(migration), "complete the checkpoint");
  migration.relocation.emplace();
  EXPECT_EQ(last_span(migration), "start the job again");
}

TEST(Trace, OfOneThatNeverBeganHasTheQueueAlone) {
  Migration migration;
  migration.end(Migration::State::failed, CPPC_ERR_CANCELLED, "cancelled before it began");
  const json all = trace({"app-1", "./app", {{"node0", 2}}, "head"}, migration);
  EXPECT_EQ(all["otherData"]["reason"], "cancelled before it began");
  for (const json& one : all["traceEvents"]) EXPECT_TRUE(one["ph"] == "M" || one["name"] == "queued") << one;
}

}  // namespace
}  // namespace cppc::run
