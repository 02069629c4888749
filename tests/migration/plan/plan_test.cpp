#include "cppc/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace cppc::plan {
namespace {

constexpr std::uint64_t GB = 1'000'000'000;

// Three nodes of two slots and 8 GB each; ranks 0 1 on node0, 2 3 on node1, none on node2; 1 GB each.
Snapshot job() {
  Snapshot job;
  for (const char* name : {"node0", "node1", "node2"}) job.nodes.push_back({name, NodeState::up, 2, 8 * GB});
  for (const int node : {0, 0, 1, 1}) job.ranks.push_back({node, GB, false});
  return job;
}

Request move(std::vector<int> ranks, std::vector<std::string> to) { return {std::move(ranks), "", std::move(to)}; }
Request evacuate(std::string node, std::vector<std::string> to = {}) { return {{}, std::move(node), std::move(to)}; }

std::vector<Move> moves(const Snapshot& job, const Request& request) {
  const auto plan = make_plan(job, request);
  EXPECT_TRUE(plan.has_value()) << plan.error();
  return plan ? plan->moves : std::vector<Move>{};
}

std::string refusal(const Snapshot& job, const Request& request) {
  const auto plan = make_plan(job, request);
  EXPECT_FALSE(plan.has_value());
  return plan ? "" : plan.error();
}

TEST(Plan, MovesARankToTheNodeNamed) {
  const auto plan = make_plan(job(), move({3}, {"node2"}));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->moves, (std::vector<Move>{{3, 1, 2}}));
  EXPECT_FALSE(plan->retire.has_value());
}

TEST(Plan, MovesSeveralRanksInTheirOrder) {
  EXPECT_EQ(moves(job(), move({3, 0}, {"node2"})), (std::vector<Move>{{0, 0, 2}, {3, 1, 2}}));
}

TEST(Plan, SlotsAreNoLimit) { EXPECT_EQ(moves(job(), move({0, 2, 3}, {"node2"})).size(), 3u); }

TEST(Plan, OfSeveralTargetsARankLeavesItsOwnNode) {
  EXPECT_EQ(moves(job(), move({0, 3}, {"node0", "node2"})), (std::vector<Move>{{0, 0, 2}, {3, 1, 0}}));
}

TEST(Plan, EvacuationRetiresTheNodeAndPrefersFreeSlots) {
  const auto plan = make_plan(job(), evacuate("node1"));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->moves, (std::vector<Move>{{2, 1, 2}, {3, 1, 2}}));
  EXPECT_EQ(plan->retire, 1);
}

TEST(Plan, EvacuationOfAnEmptyNodeOnlyRetiresIt) {
  const auto plan = make_plan(job(), evacuate("node2"));
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->moves.empty());
  EXPECT_EQ(plan->retire, 2);
}

TEST(Plan, EvacuationGoesToTheNodesNamed) {
  EXPECT_EQ(moves(job(), evacuate("node0", {"node1"})), (std::vector<Move>{{0, 0, 1}, {1, 0, 1}}));
}

TEST(Plan, EvacuationKeepsAwayFromNodesToBeAvoided) {
  Request request = evacuate("node1");
  request.avoid = {"node2", "elsewhere"};
  EXPECT_EQ(moves(job(), request), (std::vector<Move>{{2, 1, 0}, {3, 1, 0}}));
  request.avoid = {"node0", "node2"};
  EXPECT_EQ(refusal(job(), request), "all other nodes of the job are to be avoided: there is nowhere to go");
  request.evacuate = "node2";
  EXPECT_TRUE(moves(job(), request).empty()) << "no rank is on it";
}

TEST(Plan, FullNodesAreLoadedEvenly) {
  Snapshot full = job();
  full.ranks.push_back({2, GB, false});
  full.ranks.push_back({2, GB, false});
  EXPECT_EQ(moves(full, evacuate("node1")), (std::vector<Move>{{2, 1, 0}, {3, 1, 2}}));
}

TEST(Plan, ALargeNodeTakesMoreThanASmallOne) {
  Snapshot uneven = job();
  uneven.nodes[0].slots = 7;
  uneven.nodes[2].slots = 1;
  for (int i = 0; i < 4; ++i) uneven.ranks.push_back({1, GB, false});  // six on node1
  const auto plan = moves(uneven, evacuate("node1"));
  EXPECT_EQ(std::count_if(plan.begin(), plan.end(), [](const Move& m) { return m.to == 0; }), 5);
  EXPECT_EQ(std::count_if(plan.begin(), plan.end(), [](const Move& m) { return m.to == 2; }), 1);
}

TEST(Plan, PlacementKeepsToTheFreeMemory) {
  Snapshot tight = job();
  tight.nodes[2].memory_free = GB;  // free slots, but room for one
  EXPECT_EQ(moves(tight, evacuate("node1")), (std::vector<Move>{{2, 1, 2}, {3, 1, 0}}));
}

TEST(Plan, TheLargestRankIsPlacedFirst) {
  Snapshot tight = job();
  tight.ranks[3].bytes = 4 * GB;
  tight.nodes[0].memory_free = GB;
  tight.nodes[2].memory_free = 4 * GB;
  EXPECT_EQ(moves(tight, evacuate("node1")), (std::vector<Move>{{2, 1, 0}, {3, 1, 2}}));
}

TEST(Plan, RefusesMoreThanTheMemoryHolds) {
  Snapshot tight = job();
  tight.nodes[2].memory_free = 3 * GB / 2;
  EXPECT_EQ(refusal(tight, move({0, 1}, {"node2"})), "rank 1 needs 1000 MB of memory; free: node2 500 MB");
}

// Ranks 0 and 1, on node0, share memory.
Snapshot job_with_sharers() {
  Snapshot shared = job();
  shared.ranks[0].sharers = {0, 1};
  shared.ranks[1].sharers = {0, 1};
  return shared;
}

TEST(Plan, RanksThatShareMemoryGoToOneNode) {
  EXPECT_EQ(moves(job_with_sharers(), evacuate("node0", {"node1", "node2"})),
            (std::vector<Move>{{0, 0, 2}, {1, 0, 2}}));
  Snapshot full = job_with_sharers();
  full.nodes[2].memory_free = 3 * GB / 2;  // for one of them
  EXPECT_EQ(moves(full, move({0, 1}, {"node2", "node1"})), (std::vector<Move>{{0, 0, 1}, {1, 0, 1}}));
  EXPECT_EQ(refusal(full, move({1, 0}, {"node2"})), "ranks 0, 1 need 2000 MB of memory; free: node2 1500 MB");
}

TEST(Plan, RanksThatShareMemoryDoNotPart) {
  EXPECT_EQ(refusal(job_with_sharers(), move({1, 2}, {"node2"})),
            "ranks 0, 1 share memory (MPI_Win_allocate_shared()): they can only be moved together");
  Snapshot chain = job();
  for (int rank = 0; rank < 4; ++rank) chain.ranks[rank].node = 0;
  chain.ranks[0].sharers = {0, 1};
  chain.ranks[1].sharers = {0, 1, 2};
  chain.ranks[2].sharers = {1, 2};
  EXPECT_EQ(moves(chain, move({2, 1, 0}, {"node1"})).size(), 3u);
  EXPECT_EQ(refusal(chain, move({2, 1}, {"node1"})),
            "ranks 0, 1, 2 share memory (MPI_Win_allocate_shared()): they can only be moved together");
  EXPECT_EQ(moves(chain, move({3}, {"node1"})).size(), 1u);
}

TEST(Plan, RefusesByName) {
  EXPECT_EQ(refusal(job(), move({4}, {"node2"})), "there is no rank 4: the job has ranks 0 to 3");
  EXPECT_EQ(refusal(job(), move({-1}, {"node2"})), "there is no rank -1: the job has ranks 0 to 3");
  EXPECT_EQ(refusal(job(), move({1, 1}, {"node2"})), "rank 1 is named twice");
  EXPECT_EQ(refusal(job(), move({1}, {"node3"})),
            "there is no node node3: the job has node0, node1, node2; migrate --add node3 gives it that one");
  EXPECT_EQ(refusal(job(), move({1}, {"node2", "node2"})), "node node2 is named twice as a target");
  EXPECT_EQ(refusal(job(), move({1}, {"node0"})), "rank 1 is on node0 already");
  EXPECT_EQ(refusal(job(), evacuate("node3")), "there is no node node3: the job has node0, node1, node2");
  EXPECT_EQ(refusal(job(), evacuate("node1", {"node1"})), "node1 cannot be evacuated to itself");
  EXPECT_EQ(refusal(job(), evacuate("node1", {"nowhere"})),
            "there is no node nowhere: the job has node0, node1, node2; migrate --add nowhere gives it that one");
}

TEST(Plan, ANodeWithoutAnAgentIsOnlyLeft) {
  Snapshot damaged = job();
  damaged.nodes[1].state = NodeState::leave_only;
  EXPECT_EQ(refusal(damaged, move({0}, {"node1"})),
            "node1 has lost its agent: ranks can leave, but none can come; migrate --add node1 brings it back");
  EXPECT_EQ(moves(damaged, move({2}, {"node2"})), (std::vector<Move>{{2, 1, 2}}));
  EXPECT_EQ(moves(damaged, evacuate("node0")), (std::vector<Move>{{0, 0, 2}, {1, 0, 2}})) << "not to node1";
  const auto plan = make_plan(damaged, evacuate("node1"));
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_EQ(plan->retire, 1);
  EXPECT_EQ(plan->moves.size(), 2U);
}

TEST(Plan, RefusesNodesThatAreNotUp) {
  Snapshot damaged = job();
  damaged.nodes[1].state = NodeState::down;
  damaged.nodes[2].state = NodeState::evacuated;
  EXPECT_EQ(refusal(damaged, move({0}, {"node1"})), "node1 is down; migrate --add node1 brings it back");
  EXPECT_EQ(refusal(damaged, move({0}, {"node2"})),
            "node2 has been evacuated and is no longer part of the job; migrate --add node2 brings it back");
  EXPECT_EQ(refusal(damaged, move({2}, {"node0"})), "rank 2 cannot be moved: node1 is down");
  EXPECT_EQ(refusal(damaged, evacuate("node2")), "node2 has been evacuated and is no longer part of the job");
  EXPECT_EQ(refusal(damaged, evacuate("node0")), "node0 is the last node of the job: there is nowhere to go");
}

TEST(Plan, RefusesWhenAnyRankIsFinishing) {
  Snapshot finishing = job();
  finishing.ranks[3].finished = true;
  EXPECT_EQ(refusal(finishing, move({0}, {"node2"})), "the job is finishing: rank 3 is in MPI_Finalize, or has ended");
  EXPECT_EQ(refusal(finishing, evacuate("node0")), "the job is finishing: rank 3 is in MPI_Finalize, or has ended");
}

// The rule as the header has it, without anything that makes it fast.
std::vector<Move> by_the_rule(Snapshot job, std::vector<int> ranks, const std::vector<int>& targets) {
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return job.ranks[a].bytes > job.ranks[b].bytes; });
  std::vector<Move> moves;
  for (const int rank : ranks) {
    const auto load = [&](int node) {
      const auto is_there = [&](const Rank& one) { return one.node == node; };
      return static_cast<double>(std::count_if(job.ranks.begin(), job.ranks.end(), is_there) + 1) /
             job.nodes[node].slots;
    };
    int best = -1;
    for (const int node : targets) {
      if (node == job.ranks[rank].node || job.nodes[node].memory_free < job.ranks[rank].bytes) continue;
      if (best < 0 || load(node) < load(best)) best = node;
    }
    if (best < 0) return {};
    moves.push_back({rank, job.ranks[rank].node, best});
    job.nodes[best].memory_free -= job.ranks[rank].bytes;
    job.nodes[job.ranks[rank].node].memory_free += job.ranks[rank].bytes;
    job.ranks[rank].node = best;
  }
  std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.rank < b.rank; });
  return moves;
}

TEST(Plan, OfManyRanksAndNodesIsByTheRule) {
  std::mt19937 random(18);
  const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  int planned = 0;
  for (int round = 0; round < 300; ++round) {
    Snapshot job;
    const int nodes = number(2, 12);
    for (int i = 0; i < nodes; ++i)
      job.nodes.push_back({"node" + std::to_string(i), NodeState::up, number(1, 4), number(2, 20) * GB});
    for (int i = number(1, 40); i > 0; --i) job.ranks.push_back({number(0, nodes - 1), number(1, 3) * GB, false});
    std::vector<int> ranks, targets(nodes);
    for (int rank = 0; rank < static_cast<int>(job.ranks.size()); ++rank)
      if (number(0, 1) == 0) ranks.push_back(rank);
    std::iota(targets.begin(), targets.end(), 0);
    std::shuffle(targets.begin(), targets.end(), random);
    targets.resize(number(1, nodes));
    std::vector<std::string> names;
    for (const int node : targets) names.push_back(job.nodes[node].name);
    const auto expected = by_the_rule(job, ranks, targets);
    const auto plan = make_plan(job, move(ranks, names));
    EXPECT_EQ(plan ? plan->moves : std::vector<Move>{}, expected) << "round " << round;
    planned += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(planned, 50);
}

TEST(Plan, AfterIsTheJobWithThePlanCarriedOut) {
  const Snapshot before = job();
  const auto plan = make_plan(before, evacuate("node1", {"node0"}));
  ASSERT_TRUE(plan.has_value());
  const Snapshot later = after(before, *plan);
  EXPECT_EQ(later.ranks[2].node, 0);
  EXPECT_EQ(later.ranks[3].node, 0);
  EXPECT_EQ(later.nodes[1].state, NodeState::evacuated);
  EXPECT_EQ(later.nodes[0].memory_free, 6 * GB);
  EXPECT_EQ(later.nodes[1].memory_free, 10 * GB);
  EXPECT_EQ(refusal(later, move({2}, {"node0"})), "rank 2 is on node0 already");
}

}  // namespace
}  // namespace cppc::plan
