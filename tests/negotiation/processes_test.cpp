// Real processes on real pages: ranks of random speed that need each other's messages, agents whose tree is
// memory that they share. Each run prints its seed; CPPC_TEST_SEED repeats one.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <random>
#include <thread>

#include "cppc/negotiation.hpp"
#include "local_tree.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::array node_of_rank{0, 0, 0, 1, 1, 2};  // and a node 3 without ranks
constexpr int ranks = node_of_rank.size();
constexpr int nodes = 4;
constexpr int fan_out = 2;
constexpr auto hang = 120s;  // nothing depends on it but how long a hang is waited for

/// What the controlling test and all processes share.
struct Shared {
  test::SharedTree tree;
  // Orders.
  std::atomic<std::uint64_t> order;      // epoch to negotiate
  std::atomic<std::int64_t> limit_ms;    // its timeout
  std::atomic<int> canceller;            // node that gives it up, or -1
  std::atomic<int> polls_before_cancel;  // after so many polls
  std::atomic<std::uint64_t> conclude;   // epoch to conclude
  std::atomic<std::uint64_t> release;    // epoch whose stopped ranks go on
  std::atomic<bool> quit;
  // Answers.
  std::array<std::atomic<int>, nodes> page_fd;  // + 1
  std::atomic<int> attached;
  std::array<std::atomic<std::uint64_t>, nodes> outcome;           // M, or 0 when cancelled
  std::array<std::atomic<std::uint64_t>, nodes> ended, concluded;  // epochs
  std::array<std::atomic<std::uint64_t>, ranks> passed, stopped_at, stops;
};

/// A forked process that ends by itself when told to quit, and is killed if it has not.
class Child {
 public:
  explicit Child(const std::function<int()>& body) : pid_(fork()) {
    if (pid_ == 0) _exit(body());
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Child& operator=(Child&&) = delete;
  ~Child() { kill(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Whether it has ended, in error if it was not asked to.
  bool ended() {
    int status = 0;
    if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) == 0) return pid_ <= 0;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "process " << pid_ << " has failed";
    pid_ = 0;
    return true;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

unsigned seed() {
  const char* given = std::getenv("CPPC_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
}

class Processes : public testing::Test {
 protected:
  Processes() : shared_(*new (map()) Shared{}), seed_(seed()) { std::cout << "CPPC_TEST_SEED=" << seed_ << std::endl; }
  ~Processes() override {
    shared_.quit = true;
    const auto limit = Clock::now() + hang;
    for (auto* children : {&ranks_, &agents_}) {
      for (Child& child : *children) {
        while (!child.ended() && Clock::now() < limit) std::this_thread::sleep_for(1ms);
        EXPECT_TRUE(child.ended()) << "a process does not quit";
      }
    }
    ranks_.clear();
    agents_.clear();
    munmap(&shared_, sizeof(Shared));
  }

  /// `skew`: safe points by which a rank can be ahead of the next one, whose messages it needs.
  void launch(std::uint64_t skew) {
    shared_.canceller = -1;
    for (int node = 0; node < nodes; ++node) {
      agents_.emplace_back([&, node] { return run_agent(node); });
    }
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_TRUE(eventually([&] { return shared_.page_fd[node_of_rank[rank]] != 0; }));
      ranks_.emplace_back([&, rank, skew] { return run_rank(rank, skew); });
    }
    ASSERT_TRUE(eventually([&] { return shared_.attached == ranks; }));
  }

  /// Lets all agents negotiate; their common outcome.
  std::uint64_t negotiate(std::chrono::milliseconds limit = 1h) {
    shared_.limit_ms = limit.count();
    const std::uint64_t epoch = ++shared_.order;
    EXPECT_TRUE(eventually([&] {
      return std::all_of(shared_.ended.begin(), shared_.ended.end(), [&](const auto& e) { return e == epoch; });
    })) << "negotiation "
        << epoch << " does not end";
    for (int node = 1; node < nodes; ++node) EXPECT_EQ(shared_.outcome[node], shared_.outcome[0]);
    return shared_.outcome[0];
  }

  /// All ranks stop at `point`, not a step before or after, then are released.
  void expect_stop(std::uint64_t point) {
    ++stops_;
    ASSERT_TRUE(eventually([&] {
      return std::all_of(shared_.stops.begin(), shared_.stops.end(), [&](const auto& s) { return s == stops_; });
    })) << "some rank does not come to safe point "
        << point;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(shared_.stopped_at[rank], point) << "rank " << rank;
      EXPECT_EQ(shared_.passed[rank], point - 1) << "rank " << rank;
    }
    const std::uint64_t epoch = shared_.order;
    shared_.conclude = epoch;
    ASSERT_TRUE(eventually([&] {
      return std::all_of(shared_.concluded.begin(), shared_.concluded.end(), [&](const auto& e) { return e == epoch; });
    }));
    shared_.release = epoch;
  }

  bool eventually(const std::function<bool()>& condition) {
    const auto limit = Clock::now() + hang;
    while (!condition()) {
      for (Child& child : ranks_) child.ended();
      for (Child& child : agents_) child.ended();
      if (HasFailure() || Clock::now() > limit) return false;
      std::this_thread::sleep_for(200us);
    }
    return true;
  }

  Shared& shared_;
  unsigned seed_;
  std::uint64_t stops_ = 0;
  std::vector<Child> agents_;
  std::vector<Child> ranks_;

 private:
  static void* map() {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return memory;
  }

  int run_agent(int node) {
    std::mt19937 random(seed_ + 1000 + static_cast<unsigned>(node));
    Page page = Page::create(ranks).value();
    shared_.page_fd[node] = page.fd() + 1;
    test::LocalTree tree(shared_.tree, node, nodes, fan_out);
    AgentSide agent(page, tree);
    int polls = 0;
    while (!shared_.quit) {
      if (shared_.order > agent.epoch()) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
        if (!agent.start(shared_.order, std::chrono::milliseconds(shared_.limit_ms), page.ranks())) return 2;
        polls = 0;
      }
      if (shared_.canceller == node && polls++ == shared_.polls_before_cancel) agent.cancel({});
      const auto state = agent.poll();
      if (!state) return 3;
      if (*state == AgentSide::State::decided || *state == AgentSide::State::cancelled) {
        shared_.outcome[node] = *state == AgentSide::State::decided ? agent.migration_point() : 0;
        shared_.ended[node] = agent.epoch();
      }
      if (shared_.conclude == agent.epoch() && *state == AgentSide::State::decided) {
        if (!agent.conclude()) return 4;
        shared_.concluded[node] = agent.epoch();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    }
    return 0;
  }

  int run_rank(int rank, std::uint64_t skew) {
    std::mt19937 random(seed_ + static_cast<unsigned>(rank));
    const int node = node_of_rank[rank];
    RankSide side = RankSide::attach(Page::open(agents_[node].pid(), shared_.page_fd[node] - 1).value(), rank).value();
    const volatile std::uint32_t* doorbell = side.page().doorbell();
    ++shared_.attached;
    const auto wait_until = [&](const auto& condition) {
      while (!condition() && !shared_.quit) sched_yield();
    };
    for (std::uint64_t point = 1; !shared_.quit; ++point) {
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      wait_until([&] { return shared_.passed[(rank + 1) % ranks] + skew >= point; });
      if (*doorbell != 0) {
        const Decision decision = side.reached(point, 1);
        if (decision == Decision::refused) return 2;
        if (decision == Decision::stop) {
          const std::uint64_t epoch = shared_.order;
          shared_.stopped_at[rank] = point;
          ++shared_.stops[rank];
          wait_until([&] { return shared_.release >= epoch; });
        }
      }
      shared_.passed[rank] = point;
    }
    return 0;
  }
};

class ProcessesWithMessages : public Processes, public testing::WithParamInterface<int> {};

TEST_P(ProcessesWithMessages, AgreeOrCancelTogetherAgainAndAgain) {
  launch(static_cast<std::uint64_t>(GetParam()));
  if (HasFatalFailure()) return;
  std::mt19937 random(seed_);
  int decided = 0;
  int cancelled = 0;
  for (int round = 0; round < 150 && !HasFailure(); ++round) {
    const bool give_up = round % 3 == 0;
    shared_.canceller = give_up ? static_cast<int>(random() % nodes) : -1;
    shared_.polls_before_cancel = round % 2 == 0 ? 0 : static_cast<int>(random() % 12);
    if (const std::uint64_t point = negotiate()) {
      ++decided;
      expect_stop(point);
    } else {
      ++cancelled;
      EXPECT_TRUE(give_up);
    }
  }
  std::cout << decided << " decided, " << cancelled << " cancelled\n";
  EXPECT_GE(decided, 100);
  EXPECT_GT(cancelled, 0);  // at least those given up before the first poll
  for (const auto& stops : shared_.stops) EXPECT_EQ(stops, stops_);
}

INSTANTIATE_TEST_SUITE_P(Skew, ProcessesWithMessages, testing::Values(1, 3, 100), testing::PrintToStringParamName());

TEST_F(Processes, GoOnWhenARankHasDied) {
  launch(~0U);
  if (HasFatalFailure()) return;
  ranks_[4].kill();
  EXPECT_EQ(negotiate(300ms), 0U);
  std::array<std::uint64_t, ranks> before{};
  for (int rank = 0; rank < ranks; ++rank) before[rank] = shared_.passed[rank];
  EXPECT_TRUE(eventually([&] {
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank != 4 && shared_.passed[rank] < before[rank] + 10) return false;
    }
    return true;
  }));
}

}  // namespace
