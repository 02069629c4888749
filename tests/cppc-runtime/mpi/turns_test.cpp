/// Threads of a program that call MPI take turns.
#include "mpi/turns.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

using mpi::Entry;
using mpi::Turns;
using mpi::turns;
using mpi::Waiting;

constexpr int kThreads = 4;
constexpr int kCalls = 2000;

class TurnsTest : public testing::Test {
 protected:
  TurnsTest() { turns.begin(); }

  /// `call()`, again and again, in several threads.
  template <class Call>
  static void call_in_threads(Call call) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < kCalls; ++k) call();
      });
  }
};

TEST_F(TurnsTest, OneThreadAtATimeIsInsideAFunction) {
  int count = 0;  // no atomic one
  call_in_threads([&] {
    const Entry entry;
    const Entry from_a_callback;
    ++count;
  });
  EXPECT_EQ(count, kThreads * kCalls);
}

TEST_F(TurnsTest, OthersHaveTheirTurnsWhileOneWaits) {
  std::atomic<bool> done = false;
  std::jthread other;
  {
    const Entry entry;
    const Entry from_a_callback;
    other = std::jthread([&] {
      const Entry its_own;
      done = true;
    });
    EXPECT_FALSE(done);
    const Waiting others_have_turns;
    while (!done) std::this_thread::yield();
  }
  EXPECT_TRUE(done);
}

TEST_F(TurnsTest, WhoLooksAgainAndAgainLetsAllOthersIn) {
  std::atomic<int> looks = 0;
  std::jthread other;
  const Entry entry;
  other = std::jthread([&] {
    for (int i = 0; i < kCalls; ++i) {
      const Entry its_own;
      ++looks;
    }
  });
  while (looks < kCalls) turns.yield();
  EXPECT_EQ(looks, kCalls);
}

TEST_F(TurnsTest, AThreadGoesOnInAnotherProcessWithItsTurn) {
  turns.go_on(2);  // as it had entered there
  EXPECT_EQ(Turns::entered(), 2);
  turns.leave();
  turns.leave();
  const Entry entry;
  EXPECT_EQ(Turns::entered(), 1);
}

TEST_F(TurnsTest, ThreadsCountFromTheirFirstCallToTheirEnd) {
  EXPECT_FALSE(turns.others_enter());
  std::jthread([] { EXPECT_FALSE(turns.others_enter()); }).join();
  std::jthread([] {
    { const Entry entry; }
    EXPECT_TRUE(turns.others_enter());
  }).join();
  EXPECT_FALSE(turns.others_enter());
}

}  // namespace
}  // namespace cppc::test
