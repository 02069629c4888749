// The board by MPI RMA, and whole negotiations over it. Run under mpirun; every process is an agent, its ranks are
// threads that make no MPI call.

#include "cppc/agent_window.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "cppc/negotiation.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;

constexpr int ranks_per_node = 2;
constexpr int rounds = 4;

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

/// Others' operations need the leader in MPI: it stays until all have marked `value`.
void finish_with(AgentWindow& window, std::uint64_t value) {
  ASSERT_TRUE(window.mark(value));
  if (window.self() != 0) return;
  while (window.lowest_mark().value() < value) std::this_thread::yield();
}

TEST(AgentWindow, StartsEmpty) {
  AgentWindow window = AgentWindow::create(MPI_COMM_WORLD).value();
  EXPECT_EQ(window.read().value(), Word());
  finish_with(window, 1);
  EXPECT_TRUE(window.close());
  EXPECT_EQ(window.close().error(), CPPC_ERR_STATE);
}

TEST(AgentWindow, CompareAndSwapIsExactUnderContention) {
  constexpr int raises = 30;
  AgentWindow window = AgentWindow::create(MPI_COMM_WORLD).value();
  int lost = 0;
  Word seen;
  for (int done = 0; done < raises;) {
    const Word wanted(Phase::open, 1, seen.maximum() + 1);
    const Word there = window.compare_and_swap(seen, wanted).value();
    if (there == seen) {
      ++done;
      seen = wanted;
    } else {
      ++lost;
      seen = there;
    }
  }
  finish_with(window, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  std::uint64_t total = window.self() == 0 ? window.read().value().maximum() : 0;
  MPI_Bcast(&total, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  EXPECT_EQ(total, static_cast<std::uint64_t>(raises) * size_of(MPI_COMM_WORLD));
  RecordProperty("lost_swaps", lost);
  EXPECT_TRUE(window.close());
}

TEST(AgentWindow, MarksRiseIndependently) {
  AgentWindow window = AgentWindow::create(MPI_COMM_WORLD).value();
  const auto self = static_cast<std::uint64_t>(window.self());
  EXPECT_TRUE(window.mark(100 + self));
  EXPECT_TRUE(window.mark(50));  // has no effect
  finish_with(window, 200 + self);
  if (window.self() == 0) {
    // finish_with has waited for 200; the others' own are higher by now or soon.
    EXPECT_EQ(window.lowest_mark().value(), 200U);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(window.close());
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
    const volatile std::uint32_t* bell = sides_[index].page().doorbell();
    for (std::uint64_t point = 1; !quit_; ++point) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
      if (*bell == 0) continue;
      const int released = released_;
      if (sides_[index].reached(point, 1) != Decision::stop) continue;
      while (released_ == released && !quit_) std::this_thread::sleep_for(100us);
    }
  }

  Page page_;
  std::vector<RankSide> sides_;
  std::atomic<bool> quit_ = false;
  std::atomic<int> released_ = 0;
  std::vector<std::thread> threads_;
};

/// Ends when all agents have the outcome.
AgentSide::State negotiate(AgentSide& agent, std::uint64_t epoch, const Page& page, bool give_up) {
  EXPECT_TRUE(agent.start(epoch, 1h, page.ranks()));
  if (give_up) agent.cancel({CPPC_ERR_REFUSED, 5});
  for (;;) {
    const auto state = agent.poll();
    EXPECT_TRUE(state);
    if (!state || *state == AgentSide::State::decided || *state == AgentSide::State::cancelled) return agent.state();
    std::this_thread::sleep_for(1ms);
  }
}

/// The same on all agents of `comm`.
void expect_common(std::uint64_t value, MPI_Comm comm) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(size_of(comm)));
  MPI_Allgather(&value, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, comm);
  for (const std::uint64_t other : values) EXPECT_EQ(other, value);
}

void expect_agreement(Node& node, AgentWindow& window, MPI_Comm comm, std::uint64_t first_epoch) {
  AgentSide agent(node.page(), window);
  for (std::uint64_t epoch = first_epoch; epoch < first_epoch + rounds; ++epoch) {
    ASSERT_EQ(negotiate(agent, epoch, node.page(), false), AgentSide::State::decided);
    expect_common(agent.migration_point(), comm);
    while (!agent.on_the_way().empty()) std::this_thread::sleep_for(100us);
    for (const int rank : node.page().ranks()) EXPECT_EQ(node.page().record(rank).passed, agent.migration_point());
    ASSERT_TRUE(agent.conclude());
    MPI_Barrier(comm);
    node.release();
  }
}

TEST(AgentsOverMpi, AgreeAndCancel) {
  const int self = rank_in(MPI_COMM_WORLD);
  const int agents = size_of(MPI_COMM_WORLD);
  Node node(self, agents);
  AgentWindow window = AgentWindow::create(MPI_COMM_WORLD).value();
  expect_agreement(node, window, MPI_COMM_WORLD, 1);
  AgentSide agent(node.page(), window);
  ASSERT_EQ(negotiate(agent, 100, node.page(), self == agents - 1), AgentSide::State::cancelled);
  EXPECT_EQ(agent.reason(), (Reason{CPPC_ERR_REFUSED, 5}));
  expect_agreement(node, window, MPI_COMM_WORLD, 101);
  EXPECT_TRUE(window.close());
}

// The first agent, the leader, retires; then the last.
TEST(AgentsOverMpi, GoOnWithoutThoseThatRetire) {
  MPI_Comm agents = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &agents);
  std::uint64_t epoch = 1;
  Node node(rank_in(agents), size_of(agents));
  for (bool first_leaves = true; agents != MPI_COMM_NULL; first_leaves = !first_leaves) {
    const int leaver = first_leaves ? 0 : size_of(agents) - 1;
    AgentWindow window = AgentWindow::create(agents).value();
    expect_agreement(node, window, agents, epoch);
    EXPECT_TRUE(window.close());
    epoch += rounds;
    MPI_Comm rest = MPI_COMM_NULL;
    MPI_Comm_split(agents, rank_in(agents) == leaver ? MPI_UNDEFINED : 0, rank_in(agents), &rest);
    MPI_Comm_free(&agents);
    agents = rest;
  }
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
