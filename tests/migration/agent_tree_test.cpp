// The agents' tree by MPI, and whole negotiations and agreements on cuts over it. Run under mpirun; every process is an
// agent, its ranks are threads that make no MPI call.

#include "agent/agent_tree.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "cppc/cut_agent.hpp"
#include "cppc/cut_rank.hpp"
#include "cppc/negotiation.hpp"

namespace {

using namespace cppc::negotiation;
using cppc::migration::AgentComm;
using cppc::migration::AgentTree;
using namespace std::chrono_literals;

constexpr int ranks_per_node = 2;
constexpr int agreements = 4;
constexpr int kTag = 7;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

Tree::Words await(Tree& tree, int from) {
  for (;;) {
    auto words = tree.receive(from).value();
    if (words) return *std::move(words);
    std::this_thread::yield();
  }
}

AgentComm::Agents all_of(MPI_Comm comm) {
  AgentComm::Agents agents{comm, std::vector<int>(static_cast<std::size_t>(size_of(comm))), rank_in(comm)};
  std::iota(agents.ranks.begin(), agents.ranks.end(), 0);
  return agents;
}

/// With chains and with wide trees. No agent begins the next test before all have ended this one.
class Trees : public testing::TestWithParam<int> {
 protected:
  ~Trees() override { MPI_Barrier(MPI_COMM_WORLD); }
  AgentComm comm_{all_of(MPI_COMM_WORLD), kTag + 1, [] {}};
  AgentTree tree_{comm_, kTag, GetParam()};
};

TEST_P(Trees, HaveOneParentForEachAgentButTheRoot) {
  const int self = rank_in(MPI_COMM_WORLD);
  const int size = size_of(MPI_COMM_WORLD);
  EXPECT_EQ(tree_.parent() < 0, self == 0);
  EXPECT_LT(tree_.parent(), self);
  EXPECT_LE(tree_.children().size(), static_cast<std::size_t>(GetParam()));
  std::vector<int> parent_of(static_cast<std::size_t>(size));
  const int parent = tree_.parent();
  MPI_Allgather(&parent, 1, MPI_INT, parent_of.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int agent = 0; agent < size; ++agent) {
    const bool is_child = std::ranges::find(tree_.children(), agent) != tree_.children().end();
    EXPECT_EQ(is_child, parent_of[static_cast<std::size_t>(agent)] == self);
  }
}

TEST_P(Trees, BringMessagesInTheirOrder) {
  constexpr std::size_t many = 100;
  const std::size_t large = 100'000;  // of words: does not leave before it is received
  for (std::size_t i = 0; i < many && tree_.parent() >= 0; ++i)
    ASSERT_TRUE(tree_.send(tree_.parent(), Tree::Words(i == many / 2 ? large : i % 3, i)));
  for (const int child : tree_.children()) {
    for (std::size_t i = 0; i < many; ++i)
      EXPECT_EQ(await(tree_, child), Tree::Words(i == many / 2 ? large : i % 3, i));
    EXPECT_FALSE(tree_.receive(child).value());
  }
}

/// A node: its page, and threads as ranks at random speed. All ranks of the job stop at the same safe points.
class Node {
 public:
  Node(int node, int nodes) : page_(Page::create(nodes * ranks_per_node).value()) {
    for (int i = 0; i < ranks_per_node; ++i) {
      const int rank = node * ranks_per_node + i;
      sides_.push_back(RankSide::attach(Page::open(getpid(), page_.fd()).value(), rank).value());
    }
    for (int i = 0; i < ranks_per_node; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~Node() {
    quit_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Page& page() { return page_; }
  void release() { ++released_; }

 private:
  void work(int index) {
    std::mt19937 random(std::random_device{}());
    RankSide& side = sides_[static_cast<std::size_t>(index)];
    const volatile std::uint32_t* bell = side.page().doorbell();
    for (std::uint64_t point = 1; !quit_; ++point) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
      if (*bell == 0) continue;
      const int released = released_;
      if (side.reached(point, 1) != Decision::stop) continue;
      while (released_ == released && !quit_) std::this_thread::sleep_for(100us);
    }
  }

  Page page_;
  std::vector<RankSide> sides_;
  std::atomic<bool> quit_ = false;
  std::atomic<int> released_ = 0;
  std::vector<std::thread> threads_;
};

/// Ends when all agents below have the outcome.
AgentSide::State negotiate(AgentSide& agent, std::uint64_t epoch, const Page& page, bool give_up) {
  EXPECT_TRUE(agent.start(epoch, 1h, page.ranks()));
  if (give_up) agent.cancel({CPPC_ERR_REFUSED, 5});
  for (;;) {
    const auto state = agent.poll();
    EXPECT_TRUE(state);
    if (!state || *state == AgentSide::State::decided || *state == AgentSide::State::cancelled) return agent.state();
    std::this_thread::sleep_for(200us);
  }
}

/// The same on all agents of `comm`.
void expect_common(std::uint64_t value, MPI_Comm comm) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(size_of(comm)));
  MPI_Allgather(&value, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, comm);
  for (const std::uint64_t other : values) EXPECT_EQ(other, value);
}

void expect_agreement(Node& node, Tree& tree, MPI_Comm comm, std::uint64_t first_epoch) {
  AgentSide agent(node.page(), tree);
  for (std::uint64_t epoch = first_epoch; epoch < first_epoch + agreements; ++epoch) {
    ASSERT_EQ(negotiate(agent, epoch, node.page(), false), AgentSide::State::decided);
    expect_common(agent.migration_point(), comm);
    while (!agent.on_the_way().empty()) std::this_thread::sleep_for(100us);
    for (const int rank : node.page().ranks()) EXPECT_EQ(node.page().record(rank).passed, agent.migration_point());
    ASSERT_TRUE(agent.conclude());
    MPI_Barrier(comm);
    node.release();
  }
}

TEST_P(Trees, LetAgentsAgreeAndCancelOnMigrationPoints) {
  const int self = rank_in(MPI_COMM_WORLD);
  const int agents = size_of(MPI_COMM_WORLD);
  Node node(self, agents);
  expect_agreement(node, tree_, MPI_COMM_WORLD, 1);
  AgentSide agent(node.page(), tree_);
  ASSERT_EQ(negotiate(agent, 100, node.page(), self == agents - 1), AgentSide::State::cancelled);
  EXPECT_EQ(agent.reason(), (Reason{CPPC_ERR_REFUSED, 5}));
  expect_agreement(node, tree_, MPI_COMM_WORLD, 101);
}

// The first agent, the root, retires; then the last.
TEST_P(Trees, AreMadeAgainWithoutThoseThatRetire) {
  MPI_Comm agents = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &agents);
  std::uint64_t epoch = 1;
  Node node(rank_in(agents), size_of(agents));
  for (bool first_leaves = true; agents != MPI_COMM_NULL; first_leaves = !first_leaves) {
    const int source = first_leaves ? 0 : size_of(agents) - 1;
    {
      AgentComm comm(all_of(agents), kTag + 1, [] {});
      AgentTree tree(comm, kTag, GetParam());
      expect_agreement(node, tree, agents, epoch);
    }
    epoch += agreements;
    MPI_Comm rest = MPI_COMM_NULL;
    MPI_Comm_split(agents, rank_in(agents) == source ? MPI_UNDEFINED : 0, rank_in(agents), &rest);
    MPI_Comm_free(&agents);
    agents = rest;
  }
}

TEST_P(Trees, BringWhatComesOfAllReportsToAll) {
  TreeRounds rounds(tree_);
  const int self = rank_in(MPI_COMM_WORLD);
  const int agents = size_of(MPI_COMM_WORLD);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const auto own = static_cast<std::uint64_t>(self) + round;
    cut::Report mine{.standings = {{.id = 1, .most = own, .size = 99, .holders = 1, .at_most = 1}},
                     .waits = {{.rank = self, .whom = 7}},
                     .moving = 1};
    ASSERT_TRUE(rounds.begin(mine));
    EXPECT_EQ(rounds.begin(mine).error(), CPPC_ERR_STATE);
    std::optional<cut::Verdict> verdict;
    const auto evaluate = [&](const cut::Report& all) {
      EXPECT_EQ(self, 0);
      EXPECT_EQ(all.moving, static_cast<std::uint32_t>(agents));
      EXPECT_EQ(all.waits.size(), static_cast<std::size_t>(agents));
      EXPECT_EQ(all.standings, (std::vector<cut::Standing>{{.id = 1,
                                                            .most = static_cast<std::uint64_t>(agents - 1) + round,
                                                            .size = 99,
                                                            .holders = static_cast<std::uint32_t>(agents),
                                                            .at_most = 1}}));
      return cut::Verdict{.word = cut::Word(cut::Phase::closing, 3, round),
                          .targets = {{1, round}, {5, 6}},
                          .needed = {4, 9},
                          .all_needed = round % 2 == 0,
                          .withdrawals = {{5, 6, {7, round}}},
                          .announcement = round,
                          .take_part = round % 2 == 1};
    };
    while (!verdict) verdict = rounds.poll(evaluate).value();
    EXPECT_EQ(verdict->word, cut::Word(cut::Phase::closing, 3, round));
    EXPECT_EQ(verdict->target(1), round);
    EXPECT_EQ(verdict->target(5), 6U);
    EXPECT_EQ(verdict->needed, (std::vector<int>{4, 9}));
    EXPECT_EQ(verdict->all_needed, round % 2 == 0);
    EXPECT_EQ(verdict->withdrawals, (std::vector<cut::Withdrawal>{{5, 6, {7, round}}}));
    EXPECT_EQ(verdict->announcement, round);
    EXPECT_EQ(verdict->take_part, round % 2 == 1);
  }
}

/// Two ranks of this agent's: each has a communicator with the other, and one with all ranks.
class CutNode {
 public:
  explicit CutNode(Page& page) {
    const int self = rank_in(MPI_COMM_WORLD);
    const int agents = size_of(MPI_COMM_WORLD);
    for (int i = 0; i < ranks_per_node; ++i) {
      const int rank = self * ranks_per_node + i;
      sides_.push_back(RankSide::attach(Page::open(getpid(), page.fd()).value(), rank).value());
    }
    for (RankSide& side : sides_) {
      CutRank& rank = cuts_.emplace_back(side);
      all_.push_back(rank.open(1, static_cast<std::uint32_t>(agents * ranks_per_node)));
      pair_.push_back(rank.open(100 + static_cast<std::uint64_t>(self), ranks_per_node));
    }
  }

  /// Begins operations, some before the other rank of the pair, until it is stopped.
  std::uint64_t work(std::size_t which, int before) {
    CutRank& rank = cuts_[which];
    for (int step = 0;;) {
      const bool of_all = step % 3 == 0;
      if (rank.wanted() && rank.reached(cut::Place::collective, cut::nobody, {}, {}) == Decision::stop) break;
      if (step >= before && !rank.wanted()) continue;
      CutRank::begin(of_all ? all_[which] : pair_[which]);
      ++step;  // all begin the same operations in the same order, as MPI demands
    }
    return all_[which]->begun;
  }

 private:
  std::vector<RankSide> sides_;
  std::vector<CutRank> cuts_;
  std::vector<CollectiveCount*> all_;
  std::vector<CollectiveCount*> pair_;
};

TEST_P(Trees, LetAgentsAgreeOnCutsAgainAndAgain) {
  Page page = Page::create(size_of(MPI_COMM_WORLD) * ranks_per_node).value();
  CutNode node(page);
  TreeRounds rounds(tree_);
  CutAgent agent(page, rounds);
  const int self = rank_in(MPI_COMM_WORLD);
  for (int i = 1; i <= agreements; ++i) {
    std::array<std::uint64_t, ranks_per_node> begun{};
    std::array<std::thread, ranks_per_node> threads;
    for (std::size_t rank = 0; rank < threads.size(); ++rank)
      threads[rank] = std::thread([&, rank] { begun[rank] = node.work(rank, 3 * self + static_cast<int>(rank)); });
    ASSERT_TRUE(agent.start(static_cast<std::uint64_t>(i), 1h, page.ranks()));
    while (agent.poll().value() != CutAgent::State::decided) std::this_thread::sleep_for(100us);
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(agent.conclude());
    EXPECT_EQ(begun[0], begun[1]);
    expect_common(begun[0], MPI_COMM_WORLD);
  }
}

TEST_P(Trees, FailWhenTheAgentsAreToGiveUp) {
  comm_.break_off();
  EXPECT_EQ(tree_.send(0, {1}).error(), CPPC_ERR_LOST);
  EXPECT_EQ(tree_.receive(0).error(), CPPC_ERR_LOST);
}

// As when one of them has been lost: the ranks here go on.
TEST_P(Trees, AgentsDoNotWaitForALostNeighbour) {
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "no neighbours";
  Page page = Page::create(size_of(MPI_COMM_WORLD)).value();
  AgentSide side(page, tree_);
  ASSERT_TRUE(side.start(1, 1h, {}));
  comm_.break_off();
  EXPECT_EQ(side.poll().error(), CPPC_ERR_LOST);
  EXPECT_EQ(side.state(), AgentSide::State::cancelled);
}

TEST_P(Trees, LetAgentsGiveUpACutTogether) {
  Page page = Page::create(size_of(MPI_COMM_WORLD) * ranks_per_node).value();
  CutNode node(page);
  TreeRounds rounds(tree_);
  CutAgent agent(page, rounds);
  ASSERT_TRUE(agent.start(1, 1h, page.ranks()));
  if (rank_in(MPI_COMM_WORLD) == size_of(MPI_COMM_WORLD) - 1) agent.cancel({CPPC_ERR_CANCELLED, 1});
  while (agent.poll().value() != CutAgent::State::cancelled) std::this_thread::yield();
  EXPECT_EQ(agent.reason(), (Reason{CPPC_ERR_CANCELLED, 1}));
}

INSTANTIATE_TEST_SUITE_P(FanOut, Trees, testing::Values(1, 2, Tree::default_fan_out),
                         testing::PrintToStringParamName());

}  // namespace
