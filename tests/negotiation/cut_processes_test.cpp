// Real processes on real pages: ranks that carry out a random program, agents whose rounds go by memory that they
// share. Each run prints its seed; CPPC_TEST_SEED repeats one.

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
#include <map>
#include <new>
#include <random>
#include <thread>

#include "cppc/cut_agent.hpp"
#include "cppc/cut_rank.hpp"
#include "cut_program.hpp"
#include "local_rounds.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;
using test::CutOp;
using test::CutProgram;
using Clock = std::chrono::steady_clock;
using Kind = CutOp::Kind;

constexpr std::array node_of_rank{0, 0, 1, 1, 2};  // and a node 3 without ranks
constexpr int ranks = node_of_rank.size();
constexpr int nodes = 4;
constexpr int length = 40'000;  ///< of the program
constexpr int most_comms = 4096;
constexpr auto hang = 120s;  // nothing depends on it but how long a hang is waited for

struct Shared {
  test::SharedRounds rounds;
  std::atomic<std::uint64_t> order, conclude, release;  // epochs
  std::atomic<bool> quit;
  std::array<std::atomic<int>, nodes> page_fd;  // + 1
  std::atomic<int> attached, go;
  std::array<std::atomic<std::uint64_t>, nodes> ended, concluded;  // epochs
  std::array<std::atomic<int>, nodes> outcome;                     // CutAgent::State
  std::array<std::atomic<int>, ranks> at_cut, finished;            // how often
  std::array<std::atomic<std::uint64_t>, ranks> done;              // operations, …
  std::array<std::atomic<std::uint64_t>, ranks> reached;           // … and begun
  std::array<std::array<std::atomic<std::uint32_t>, most_comms>, ranks> begun;
  std::atomic<int> lock;
};

class Rank {
 public:
  Rank(Shared& shared, const CutProgram& program, int rank, RankSide side)
      : shared_(&shared), program_(&program), rank_(rank), side_(std::move(side)), cut_(side_) {
    for (int comm = 0; comm < program.existing; ++comm) open(comm);
  }

  void run() {
    const auto& list = program_->lists[static_cast<std::size_t>(rank_)];
    for (std::size_t at = 0; at < list.size() && !shared_->quit; ++at) {
      const CutOp& op = list[at];
      if (at % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(at % 5 * 50));
      call(collective(op) ? cut::Place::collective : cut::Place::elsewhere, cut::nobody);
      if (collective(op)) begin(op);
      shared_->reached[static_cast<std::size_t>(rank_)] = at + 1;
      if (op.kind == Kind::lock) cut_.enter(cut::anybody, 1);
      while (!complete(op) && !shared_->quit) {
        if (op.kind == Kind::wait || op.kind == Kind::ssend || op.kind == Kind::receive)
          call(cut::Place::elsewhere, op.kind == Kind::wait ? cut::nobody : op.any_source ? cut::anybody : op.peer);
        sched_yield();
      }
      leave(op);
      shared_->done[static_cast<std::size_t>(rank_)] = at + 1;
    }
    shared_->finished[static_cast<std::size_t>(rank_)] = 1;
    while (!shared_->quit) std::this_thread::sleep_for(1ms);
  }

 private:
  static bool collective(const CutOp& op) {
    return op.kind == Kind::collective || op.kind == Kind::early || op.kind == Kind::begin || op.kind == Kind::create ||
           op.kind == Kind::destroy || op.kind == Kind::finish;
  }

  void call(cut::Place place, int waits_for) {
    if (!cut_.wanted()) return;
    if (cut_.reached(place, waits_for, {}, {}) != Decision::stop) return;
    const std::uint64_t epoch = shared_->order;
    ++shared_->at_cut[static_cast<std::size_t>(rank_)];
    while (shared_->release < epoch && !shared_->quit) sched_yield();
  }

  void open(int comm) {
    const auto& members = program_->comms[static_cast<std::size_t>(comm)];
    if (std::ranges::find(members, rank_) != members.end())
      rows_[comm] = cut_.open(static_cast<std::uint64_t>(comm) + 1, static_cast<std::uint32_t>(members.size()));
  }

  void begin(const CutOp& op) {
    if (op.kind == Kind::finish) side_.finishing();
    CutRank::begin(rows_.at(op.comm));
    ++shared_->begun[static_cast<std::size_t>(rank_)][static_cast<std::size_t>(op.comm)];
  }

  bool complete(const CutOp& op) {
    switch (op.kind) {
      case Kind::collective:
      case Kind::wait:
      case Kind::create:
      case Kind::finish:
        return std::ranges::all_of(program_->comms[static_cast<std::size_t>(op.comm)], [&](int member) {
          return static_cast<int>(shared_->begun[static_cast<std::size_t>(member)][static_cast<std::size_t>(op.comm)]) >
                 op.instance;
        });
      case Kind::ssend:
      case Kind::receive:
        return shared_->reached[static_cast<std::size_t>(op.peer)] > static_cast<std::uint64_t>(op.peer_at);
      case Kind::lock: {
        int free = 0;
        return shared_->lock.compare_exchange_strong(free, 1);
      }
      default:
        return true;
    }
  }

  void leave(const CutOp& op) {
    if (op.kind == Kind::create && op.child >= 0) open(op.child);
    if (op.kind == Kind::destroy) {
      cut_.close(rows_.at(op.comm));
      rows_.erase(op.comm);
    }
    if (op.kind == Kind::unlock) shared_->lock = 0;
    cut_.moved_on();
  }

  Shared* shared_;
  const CutProgram* program_;
  int rank_;
  RankSide side_;
  CutRank cut_;
  std::map<int, CollectiveCount*> rows_;
};

class CutProcesses : public testing::Test {
 protected:
  CutProcesses() : shared_(*new (map()) Shared{}), seed_(seed()), random_(seed_) {
    std::cout << "CPPC_TEST_SEED=" << seed_ << std::endl;
  }
  ~CutProcesses() override {
    shared_.quit = true;
    for (const pid_t child : children_) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "process " << child << " has failed";
    }
    munmap(&shared_, sizeof(Shared));
  }

  void launch() {
    std::array<pid_t, nodes> agents{};
    for (int node = 0; node < nodes; ++node)
      agents[static_cast<std::size_t>(node)] = fork_child([&] { return run_agent(node); });
    for (int rank = 0; rank < ranks; ++rank) {
      const auto node = static_cast<std::size_t>(node_of_rank[static_cast<std::size_t>(rank)]);
      ASSERT_TRUE(eventually([&] { return shared_.page_fd[node] != 0; }));
      fork_child([&] {
        Rank self(shared_, program_, rank,
                  RankSide::attach(Page::open(agents[node], shared_.page_fd[node] - 1).value(), rank).value());
        ++shared_.attached;
        while (shared_.attached < ranks && !shared_.quit) sched_yield();
        self.run();
        return 0;
      });
    }
    ASSERT_TRUE(eventually([&] { return shared_.attached == ranks; }));
  }

  CutAgent::State agree() {
    const std::uint64_t epoch = ++shared_.order;
    EXPECT_TRUE(eventually([&] {
      return std::ranges::all_of(shared_.ended, [&](const auto& one) { return one == epoch; });
    })) << "agreement "
        << epoch << " does not end";
    for (const auto& one : shared_.outcome) EXPECT_EQ(one, shared_.outcome[0]);
    return static_cast<CutAgent::State>(shared_.outcome[0].load());
  }

  void expect_cut(int number) {
    ASSERT_TRUE(eventually(
        [&] { return std::ranges::all_of(shared_.at_cut, [&](const auto& one) { return one == number; }); }));
    for (std::size_t comm = 0; comm < program_.comms.size(); ++comm) {
      const auto first = static_cast<std::size_t>(program_.comms[comm].front());
      for (const int member : program_.comms[comm])
        EXPECT_EQ(shared_.begun[static_cast<std::size_t>(member)][comm], shared_.begun[first][comm])
            << "communicator " << comm << ", rank " << member;
    }
    const std::uint64_t epoch = shared_.order;
    shared_.conclude = epoch;
    ASSERT_TRUE(eventually(
        [&] { return std::ranges::all_of(shared_.concluded, [&](const auto& one) { return one == epoch; }); }));
    shared_.release = epoch;
  }

  bool eventually(const std::function<bool()>& condition) {
    const auto limit = Clock::now() + hang;
    while (!condition()) {
      if (HasFailure() || Clock::now() > limit) return false;
      std::this_thread::sleep_for(200us);
    }
    return true;
  }

  Shared& shared_;
  unsigned seed_;
  std::mt19937 random_;
  CutProgram program_ = test::random_program(random_, ranks, length);

 private:
  static unsigned seed() {
    const char* given = std::getenv("CPPC_TEST_SEED");
    return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  }

  static void* map() {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    return memory;
  }

  pid_t fork_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    children_.push_back(child);
    return child;
  }

  int run_agent(int node) {
    const auto self = static_cast<std::size_t>(node);
    Page page = Page::create(ranks).value();
    shared_.page_fd[self] = page.fd() + 1;
    test::LocalRounds rounds(shared_.rounds, node, nodes);
    CutAgent agent(page, rounds);
    std::uint64_t epoch = 0;
    while (!shared_.quit) {
      if (shared_.order > epoch) {
        epoch = shared_.order;
        if (!agent.start(epoch, 1h, page.ranks())) return 2;
      }
      const auto state = agent.poll();
      if (!state) return 3;
      if (*state == CutAgent::State::decided || *state == CutAgent::State::cancelled) {
        shared_.outcome[self] = static_cast<int>(*state);
        shared_.ended[self] = epoch;
      }
      if (shared_.conclude == epoch && *state == CutAgent::State::decided) {
        if (!agent.conclude()) return 4;
        shared_.concluded[self] = epoch;
      }
      std::this_thread::sleep_for(100us);
    }
    return 0;
  }

  std::vector<pid_t> children_;
};

TEST_F(CutProcesses, StopAtConsistentCutsUntilTheProgramEnds) {
  ASSERT_LE(program_.comms.size(), static_cast<std::size_t>(most_comms));
  launch();
  if (HasFatalFailure()) return;
  int cuts = 0;
  while (!HasFailure() && cuts < 200) {
    const auto state = agree();
    if (state == CutAgent::State::cancelled) break;  // the program is at its end
    ASSERT_EQ(state, CutAgent::State::decided);
    expect_cut(++cuts);
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000));
  }
  std::cout << cuts << " cuts\n";
  EXPECT_GT(cuts, 0);
  EXPECT_TRUE(
      eventually([&] { return std::ranges::all_of(shared_.finished, [](const auto& one) { return one == 1; }); }));
}

}  // namespace
