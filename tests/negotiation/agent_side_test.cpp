// Agents of several nodes in one thread, polled in the order that the test wants; ranks take their steps in between.

#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>
#include <map>
#include <optional>
#include <thread>

#include "cppc/negotiation.hpp"
#include "local_tree.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;
using State = AgentSide::State;

constexpr int app_ranks = 8;

struct Node {
  Node(test::SharedTree& memory, int self, int nodes, int fan_out) : tree(memory, self, nodes, fan_out) {}
  Page page = Page::create(app_ranks).value();
  test::LocalTree tree;
  AgentSide agent{page, tree};
};

class Agents : public testing::Test {
 protected:
  /// Nodes with these ranks each.
  void build(std::vector<std::vector<int>> ranks_of_node, int fan_out = Tree::default_fan_out) {
    ranks_of_node_ = std::move(ranks_of_node);
    const int nodes = static_cast<int>(ranks_of_node_.size());
    for (int i = 0; i < nodes; ++i) nodes_.emplace_back(memory_, i, nodes, fan_out);
    for (int i = 0; i < nodes; ++i) {
      for (const int rank : ranks_of_node_[i]) {
        ranks_.emplace(rank, RankSide::attach(Page::open(getpid(), nodes_[i].page.fd()).value(), rank).value());
      }
    }
  }

  void start(std::chrono::steady_clock::duration timeout = 1h) {
    ++epoch_;
    for (std::size_t i = 0; i < nodes_.size(); ++i) start_one(i, timeout);
  }
  void start_one(std::size_t node, std::chrono::steady_clock::duration timeout = 1h) {
    ASSERT_TRUE(agent(node).start(epoch_, timeout, ranks_of_node_[node]));
  }

  AgentSide& agent(std::size_t node) { return nodes_[node].agent; }
  State poll(std::size_t node) { return agent(node).poll().value(); }
  Decision reached(int rank, std::uint64_t passed) { return ranks_.at(rank).reached(passed, 1); }

  void poll_until_all(State wanted) {
    for (bool all = false; !all;) {
      all = true;
      for (std::size_t i = 0; i < nodes_.size(); ++i) all &= poll(i) == wanted;
    }
  }
  void conclude() {
    for (Node& node : nodes_) ASSERT_TRUE(node.agent.conclude());
  }

  test::SharedTree memory_{};
  std::vector<std::vector<int>> ranks_of_node_;
  std::deque<Node> nodes_;
  std::map<int, RankSide> ranks_;
  std::uint64_t epoch_ = 0;
};

TEST_F(Agents, TakeTheHighestPoint) {
  build({{0, 1}, {2}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 12), Decision::go_on);
  EXPECT_EQ(reached(2, 11), Decision::go_on);
  poll_until_all(State::decided);
  EXPECT_EQ(agent(0).migration_point(), 13U);
  EXPECT_EQ(agent(1).migration_point(), 13U);
  EXPECT_EQ(reached(2, 12), Decision::go_on);
  EXPECT_EQ(reached(2, 13), Decision::stop);
  EXPECT_EQ(reached(1, 13), Decision::stop);
  EXPECT_EQ(agent(0).on_the_way(), std::vector<int>{0});
}

TEST_F(Agents, WaitForEveryRank) {
  build({{0, 1}, {2}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(2, 10), Decision::go_on);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(poll(0), State::collecting);
    EXPECT_EQ(poll(1), State::reported);
  }
  EXPECT_EQ(agent(0).missing(), std::vector<int>{1});
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  poll_until_all(State::decided);
  EXPECT_EQ(agent(1).migration_point(), 11U);
}

// The case that fixing a page as soon as its own ranks have joined would not survive: rank 1 had passed point 10 before
// its doorbell rang, and comes to point 11 only with a message that rank 0 sends after its point 11.
TEST_F(Agents, LetRanksGoOnUntilAllHaveJoined) {
  build({{0}, {1}});
  start();
  for (std::uint64_t point = 10; point < 100; ++point) {
    EXPECT_EQ(reached(0, point), Decision::go_on);
    EXPECT_EQ(poll(0), State::reported);
    EXPECT_EQ(poll(1), State::collecting);
  }
  EXPECT_EQ(reached(1, 11), Decision::go_on);
  poll_until_all(State::decided);
  EXPECT_EQ(agent(0).migration_point(), 100U);
  EXPECT_EQ(reached(0, 100), Decision::stop);
}

TEST_F(Agents, LetARankAtItsCeilingWaitUntilAllPagesAreFixed) {
  build({{0}, {1}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 12), Decision::go_on);
  EXPECT_EQ(poll(1), State::reported);
  EXPECT_EQ(poll(0), State::reported);
  ASSERT_EQ(nodes_[0].page.word(), Word(Phase::fixed, 1, 11));
  ASSERT_EQ(nodes_[1].page.word(), Word(Phase::open, 1, 13));
  EXPECT_EQ(reached(1, 13), Decision::go_on);  // not told yet

  std::optional<Decision> decision;
  std::thread rank([&] { decision = reached(0, 11); });  // waits for the outcome, which the polls bring
  poll_until_all(State::decided);
  rank.join();
  EXPECT_EQ(decision, Decision::go_on);
  EXPECT_EQ(agent(0).migration_point(), 14U);
  EXPECT_EQ(reached(1, 14), Decision::stop);
  EXPECT_EQ(reached(0, 14), Decision::stop);
}

TEST_F(Agents, TakeTheHighestPointOfATreeOfAnyShape) {
  for (const int fan_out : {1, 2, 3}) {
    nodes_.clear();
    ranks_.clear();
    epoch_ = 0;
    build({{}, {0, 1}, {2}, {}, {3}, {4, 5}, {6}}, fan_out);
    start();
    for (int rank = 0; rank < 7; ++rank)
      EXPECT_EQ(reached(rank, 10 + static_cast<std::uint64_t>(rank)), Decision::go_on);
    poll_until_all(State::decided);
    for (std::size_t node = 0; node < 7; ++node) EXPECT_EQ(agent(node).migration_point(), 17U);
    conclude();
  }
}

TEST_F(Agents, WithoutRanksReportAtOnce) {
  build({{}, {0}, {}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  poll_until_all(State::decided);
  for (std::size_t node = 0; node < 3; ++node) EXPECT_EQ(agent(node).migration_point(), 11U);
}

TEST_F(Agents, MayStartLate) {
  build({{0}, {1}});
  ++epoch_;
  start_one(1);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(poll(1), State::reported);
  start_one(0);
  EXPECT_EQ(reached(0, 20), Decision::go_on);
  poll_until_all(State::decided);
  EXPECT_EQ(agent(1).migration_point(), 21U);
}

TEST_F(Agents, SettleUntilAllBelowKnow) {
  build({{0}, {1}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  EXPECT_EQ(poll(1), State::reported);
  EXPECT_EQ(poll(0), State::reported);
  EXPECT_EQ(poll(1), State::reported);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(poll(0), State::settling);
  EXPECT_EQ(reached(0, 11), Decision::stop);  // in force already
  EXPECT_EQ(poll(1), State::decided);
  EXPECT_EQ(poll(0), State::decided);
}

TEST_F(Agents, CancelEverywhereForOneReason) {
  build({{0}, {1}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(poll(0), State::reported);
  EXPECT_TRUE(agent(1).cancel({CPPC_ERR_CANCELLED, -1}));
  poll_until_all(State::cancelled);
  EXPECT_EQ(agent(0).reason(), (Reason{CPPC_ERR_CANCELLED, -1}));
  EXPECT_EQ(agent(1).reason(), (Reason{CPPC_ERR_CANCELLED, -1}));
  EXPECT_EQ(*nodes_[0].page.doorbell(), 0U);
  EXPECT_EQ(reached(0, 11), Decision::go_on);  // would have been its bound
  EXPECT_FALSE(agent(0).conclude());
}

TEST_F(Agents, ADecisionWinsOverCancelling) {
  build({{0}, {1}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  EXPECT_EQ(poll(1), State::reported);
  EXPECT_EQ(poll(0), State::reported);
  EXPECT_EQ(poll(1), State::reported);
  EXPECT_EQ(poll(0), State::settling);
  EXPECT_FALSE(agent(0).cancel({}));
  EXPECT_TRUE(agent(1).cancel({}));  // does not know yet
  EXPECT_EQ(poll(1), State::decided);
  EXPECT_EQ(poll(0), State::decided);
  EXPECT_FALSE(agent(1).cancel({}));
  EXPECT_EQ(reached(0, 11), Decision::stop);
  EXPECT_EQ(reached(1, 11), Decision::stop);
}

TEST_F(Agents, CancelAtTheTimeoutAndNameTheMissingRank) {
  build({{0}, {1, 2}});
  start(0s);
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  poll_until_all(State::cancelled);
  EXPECT_EQ(agent(0).reason(), (Reason{CPPC_ERR_TIMEOUT, 2}));
  EXPECT_EQ(agent(1).reason(), (Reason{CPPC_ERR_TIMEOUT, 2}));
}

TEST_F(Agents, MayGiveUpBeforeTheRootStarts) {
  build({{0}, {1}});
  ++epoch_;
  start_one(1, 0s);
  EXPECT_EQ(poll(1), State::collecting);
  start_one(0);
  poll_until_all(State::cancelled);
  EXPECT_EQ(agent(0).reason(), (Reason{CPPC_ERR_TIMEOUT, 1}));
}

TEST_F(Agents, GiveUpThroughATree) {
  build({{0}, {1}, {2}, {3}}, 1);
  start();
  EXPECT_TRUE(agent(3).cancel({CPPC_ERR_PEER, 3}));
  poll_until_all(State::cancelled);
  for (std::size_t node = 0; node < 4; ++node) EXPECT_EQ(agent(node).reason(), (Reason{CPPC_ERR_PEER, 3}));
}

// The next negotiation begins where this one has ended, while others have yet to take note of that.
TEST_F(Agents, KeepNegotiationsApart) {
  build({{0}, {1}, {2}}, 1);
  for (int round = 0; round < 3; ++round) {
    start();
    agent(0).cancel({});
    while (poll(2) != State::cancelled) {
      poll(1);
      poll(0);
    }
    ASSERT_TRUE(agent(2).start(epoch_ + 1, 1h, {2}));
    agent(2).cancel({});
    poll(2);
    while (poll(0) != State::cancelled) poll(1);
    ++epoch_;
    start_one(0);
    start_one(1);
    poll_until_all(State::cancelled);
  }
}

TEST_F(Agents, CancelWhenARankIsInFinalize) {
  build({{0}, {1, 2}});
  ranks_.at(1).finishing();
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  poll_until_all(State::cancelled);
  EXPECT_EQ(agent(0).reason(), (Reason{CPPC_ERR_REFUSED, 1}));
}

TEST_F(Agents, CancelWhenAJoinedRankEntersFinalize) {
  build({{0}, {1, 2}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  EXPECT_EQ(poll(0), State::reported);
  EXPECT_EQ(poll(1), State::collecting);
  ranks_.at(1).finishing();
  poll_until_all(State::cancelled);
  EXPECT_EQ(agent(1).reason(), (Reason{CPPC_ERR_REFUSED, 1}));
}

TEST_F(Agents, NegotiateAgain) {
  build({{0}, {1}});
  std::uint64_t point = 10;
  for (int round = 0; round < 100; ++round) {
    start();
    EXPECT_EQ(reached(0, point), Decision::go_on);
    EXPECT_EQ(reached(1, point), Decision::go_on);
    if (round % 3 == 0) {
      agent(1).cancel({});
      poll_until_all(State::cancelled);
      EXPECT_EQ(reached(0, ++point), Decision::go_on);
      continue;
    }
    poll_until_all(State::decided);
    ++point;
    EXPECT_EQ(agent(0).migration_point(), point);
    EXPECT_EQ(reached(0, point), Decision::stop);
    EXPECT_EQ(reached(1, point), Decision::stop);
    conclude();
    EXPECT_EQ(reached(0, ++point), Decision::go_on);
  }
}

TEST_F(Agents, AreNotMisledByEpochsFarApart) {
  build({{0}, {1}});
  start();
  agent(0).cancel({});
  poll_until_all(State::cancelled);
  epoch_ += 32'000;  // orders that never came to a negotiation
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  poll_until_all(State::decided);
}

TEST_F(Agents, LetRanksGoOnWhenANeighbourIsInAnotherNegotiation) {
  build({{0}, {1}});
  start();
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  EXPECT_EQ(poll(1), State::reported);
  ASSERT_TRUE(nodes_[0].tree.send(1, {Word(Phase::fixed, 2, 0).bits()}));
  EXPECT_EQ(agent(1).poll().error(), CPPC_ERR_MISMATCH);
  EXPECT_EQ(agent(1).state(), State::cancelled);
  EXPECT_EQ(reached(1, 11), Decision::go_on);
}

TEST_F(Agents, RefuseToStartWrongly) {
  build({{0}});
  EXPECT_EQ(agent(0).start(0, 1h, {0}).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(agent(0).start(1, 1h, {app_ranks}).error(), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(agent(0).start(1, 1h, {-1}).error(), CPPC_ERR_ARGUMENT);
  start();
  EXPECT_EQ(agent(0).start(2, 1h, {0}).error(), CPPC_ERR_STATE);
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  poll_until_all(State::decided);
  EXPECT_EQ(agent(0).start(2, 1h, {0}).error(), CPPC_ERR_STATE);
  conclude();
  EXPECT_EQ(agent(0).start(1, 1h, {0}).error(), CPPC_ERR_ARGUMENT);
  EXPECT_TRUE(agent(0).start(2, 1h, {0}));
}

TEST_F(Agents, LetRanksGoOnWhenTheTreeFails) {
  build({{0}, {1}});
  start();
  EXPECT_EQ(reached(0, 10), Decision::go_on);
  EXPECT_EQ(reached(1, 10), Decision::go_on);
  EXPECT_EQ(poll(1), State::reported);
  EXPECT_EQ(poll(0), State::reported);
  ASSERT_EQ(nodes_[0].page.word().phase(), Phase::fixed);
  nodes_[0].tree.broken = true;
  EXPECT_EQ(agent(0).poll().error(), CPPC_ERR_MPI);
  EXPECT_EQ(agent(0).state(), State::cancelled);
  EXPECT_EQ(agent(0).reason(), (Reason{CPPC_ERR_MPI, -1}));
  EXPECT_EQ(reached(0, 11), Decision::go_on);
}

}  // namespace
