// The agents' rounds by MPI, and whole agreements over them. Run under mpirun; every process is an agent, its ranks are
// threads that make no MPI call.

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "cppc/cut_agent.hpp"
#include "cppc/cut_rank.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;
using State = CutAgent::State;

constexpr int agreements = 5;

int self() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int agents() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(AgentRounds, BringEverybodysWordsToAll) {
  AgentRounds rounds(MPI_COMM_WORLD);
  for (std::uint64_t round = 0; round < 10; ++round) {
    const auto mine = static_cast<std::size_t>(self());
    ASSERT_TRUE(rounds.begin(Rounds::Words((mine + round) % 3, 10 * mine + round)));
    std::optional<std::vector<Rounds::Words>> all;
    while (!all) all = rounds.poll().value();
    ASSERT_EQ(all->size(), static_cast<std::size_t>(agents()));
    for (std::size_t i = 0; i < all->size(); ++i) EXPECT_EQ((*all)[i], Rounds::Words((i + round) % 3, 10 * i + round));
  }
}

/// Two ranks of this agent's: each has a communicator with the other, and one with all ranks.
class Node {
 public:
  static constexpr int ranks = 2;

  void attach(Page& page) {
    for (int i = 0; i < ranks; ++i) {
      sides_.push_back(RankSide::attach(Page::open(getpid(), page.fd()).value(), self() * ranks + i).value());
    }
    for (RankSide& side : sides_) {
      CutRank& rank = cuts_.emplace_back(side);
      all_.push_back(rank.open(1, static_cast<std::uint32_t>(agents() * ranks)));
      pair_.push_back(rank.open(100 + static_cast<std::uint64_t>(self()), ranks));
    }
  }

  /// Begins operations, some before the other rank of the pair, until it is stopped.
  std::uint64_t work(std::size_t which, int before) {
    CutRank& rank = cuts_[which];
    for (int step = 0;;) {
      const bool of_all = step % 3 == 0;
      if (rank.wanted() && rank.reached(cut::Place::collective, cut::nobody, {}) == Decision::stop) break;
      if (step >= before && !rank.wanted()) continue;
      CutRank::begin(of_all ? all_[which] : pair_[which]);
      ++step;  // all begin the same operations in the same order, as MPI demands
    }
    return *all_[which];
  }

 private:
  std::vector<RankSide> sides_;
  std::vector<CutRank> cuts_;
  std::vector<std::uint64_t*> all_;
  std::vector<std::uint64_t*> pair_;
};

TEST(AgentsOverMpi, AgreeOnCutsAgainAndAgain) {
  Page page = Page::create(agents() * Node::ranks).value();
  Node node;
  node.attach(page);
  AgentRounds rounds(MPI_COMM_WORLD);
  CutAgent agent(page, rounds);
  for (int i = 1; i <= agreements; ++i) {
    std::array<std::uint64_t, Node::ranks> begun{};
    std::array<std::thread, Node::ranks> threads;
    for (std::size_t rank = 0; rank < threads.size(); ++rank)
      threads[rank] = std::thread([&, rank] { begun[rank] = node.work(rank, 3 * self() + static_cast<int>(rank)); });
    ASSERT_TRUE(agent.start(static_cast<std::uint64_t>(i), 1h, page.ranks()));
    while (agent.poll().value() != State::decided) std::this_thread::sleep_for(100us);
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(agent.conclude());
    std::array<std::uint64_t, 2> range{begun[0], ~begun[1]};
    std::array<std::uint64_t, 2> all{};
    MPI_Allreduce(range.data(), all.data(), 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(begun[0], begun[1]);
    EXPECT_EQ(all[0], ~all[1]);
  }
}

TEST(AgentsOverMpi, GiveUpTogether) {
  Page page = Page::create(agents() * Node::ranks).value();
  Node node;
  node.attach(page);
  AgentRounds rounds(MPI_COMM_WORLD);
  CutAgent agent(page, rounds);
  ASSERT_TRUE(agent.start(1, 1h, page.ranks()));
  if (self() == agents() - 1) agent.cancel({CPPC_ERR_CANCELLED, 1});
  while (agent.poll().value() != State::cancelled) std::this_thread::yield();
  EXPECT_EQ(agent.reason(), (Reason{CPPC_ERR_CANCELLED, 1}));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  MPI_Finalize();
  return result;
}
