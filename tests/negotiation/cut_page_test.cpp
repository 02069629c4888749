// One rank's table and one node's agent, in one thread.

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "cppc/cut_agent.hpp"
#include "cppc/cut_rank.hpp"
#include "local_rounds.hpp"

namespace {

using namespace cppc::negotiation;
using namespace std::chrono_literals;
using State = CutAgent::State;

class CutPage : public testing::Test {
 protected:
  RankSide attach(int rank) { return RankSide::attach(Page::open(getpid(), page_.fd()).value(), rank).value(); }
  void start(std::chrono::milliseconds timeout = 1h) { ASSERT_TRUE(agent_.start(++epoch_, timeout, page_.ranks())); }
  State poll(int times = 1) {
    while (--times > 0) EXPECT_TRUE(agent_.poll());
    return agent_.poll().value();
  }

  Page page_ = Page::create(4).value();
  std::unique_ptr<test::SharedRounds> shared_ = std::make_unique<test::SharedRounds>();
  test::LocalRounds rounds_{*shared_, 0, 1};
  CutAgent agent_{page_, rounds_};
  std::uint64_t epoch_ = 0;
  RankSide first_side_ = attach(0);
  RankSide second_side_ = attach(2);
  CutRank first_{first_side_};
  CutRank second_{second_side_};
};

TEST_F(CutPage, RanksThatAreLevelStopAtTheNextCall) {
  EXPECT_FALSE(first_.wanted());
  start();
  EXPECT_TRUE(first_.wanted());
  EXPECT_EQ(poll(), State::closing);
  EXPECT_EQ(agent_.moving(), (std::vector<int>{0, 2}));
  std::thread other([&] { EXPECT_EQ(second_.reached(cut::Place::elsewhere, cut::nobody, {}, {}), Decision::stop); });
  std::thread agent([&] {
    while (agent_.poll().value() != State::decided) std::this_thread::sleep_for(100us);
  });
  EXPECT_EQ(first_.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::stop);
  other.join();
  agent.join();
  EXPECT_TRUE(agent_.moving().empty());
  ASSERT_TRUE(agent_.conclude());
  EXPECT_FALSE(first_.wanted());
  EXPECT_FALSE(agent_.conclude());
}

TEST_F(CutPage, ARankThatIsBehindGoesOnAndLetsOthersWait) {
  auto* const one = first_.open(77, 2);
  auto* const other = second_.open(77, 2);
  first_.begin(one);
  start();
  EXPECT_EQ(poll(3), State::gathering);
  EXPECT_EQ(second_.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::go_on);
  second_.begin(other);
  EXPECT_EQ(poll(), State::closing);
}

TEST_F(CutPage, ARankAtItsTargetsIsHeldBeforeACollectiveOperationAlone) {
  auto* const row = first_.open(77, 2);
  first_.begin(row);
  second_.open(77, 2);
  start();
  poll();
  EXPECT_EQ(first_.reached(cut::Place::elsewhere, cut::nobody, {}, {}), Decision::go_on);
  int served = 0;
  EXPECT_EQ(first_.reached(cut::Place::collective, cut::nobody,
                           [&] {
                             if (++served == 3) agent_.cancel({CPPC_ERR_CANCELLED, 1});
                             poll();
                           },
                           {}),
            Decision::go_on);
  EXPECT_GE(served, 3);
  EXPECT_EQ(agent_.reason(), (Reason{CPPC_ERR_CANCELLED, 1}));
  EXPECT_FALSE(first_.wanted());
}

TEST_F(CutPage, RankThatOthersWaitForGoesOn) {
  second_.open(77, 2);
  first_.begin(first_.open(77, 2));
  auto* const held = first_.open(88, 2);
  RankSide third_side = attach(3);
  CutRank third(third_side);
  third.open(88, 2);
  start();
  poll();
  EXPECT_EQ(second_.reached(cut::Place::elsewhere, 0, {}, {}), Decision::go_on);
  poll();
  EXPECT_EQ(first_.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::go_on);
  first_.begin(held);
  second_.moved_on();
  EXPECT_EQ(poll(), State::gathering);
  EXPECT_EQ(third.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::go_on);
}

TEST_F(CutPage, ARankInsideACallThatItCannotLeaveKeepsItOpen) {
  second_.enter(cut::anybody, 1);
  start();
  EXPECT_EQ(poll(3), State::gathering);
  second_.moved_on();
  EXPECT_EQ(poll(), State::closing);
}

TEST_F(CutPage, GivesUpNamingTheRankThatIsBehind) {
  second_.open(77, 2);
  first_.begin(first_.open(77, 2));
  start(0ms);
  EXPECT_EQ(poll(20), State::cancelled);
  EXPECT_EQ(agent_.reason().status, CPPC_ERR_TIMEOUT);
}

TEST_F(CutPage, GivesUpNamingWhatARankIsInside) {
  second_.enter(cut::anybody, 6);
  start(0ms);
  EXPECT_EQ(poll(20), State::cancelled);
  EXPECT_EQ(agent_.reason(), (Reason{CPPC_ERR_TIMEOUT, 2, 6}));
}

TEST_F(CutPage, ACancelNamesTheRankThatIsBehind) {
  second_.open(77, 2);
  first_.begin(first_.open(77, 2));
  start();
  EXPECT_EQ(poll(), State::gathering);
  EXPECT_EQ(agent_.late(), (Reason{CPPC_ERR_TIMEOUT, 2, Reason::outside_collective}));
  agent_.cancel({CPPC_ERR_CANCELLED, -1});
  EXPECT_EQ(poll(), State::cancelled);
  EXPECT_EQ(agent_.reason(), (Reason{CPPC_ERR_CANCELLED, 2, Reason::outside_collective}));
}

/// The first rank is inside an operation that the second has not begun; agents withdraw it.
class Withdrawal : public CutPage {
 protected:
  Withdrawal() {
    first_count_ = first_.open(77, 2);
    second_count_ = second_.open(77, 2);
    *first_.current() = {.number = 1, .id = 77, .what = 9, .count = 3};
    CutRank::begin(first_count_);
    start();
    while (poll() == State::gathering) continue;
  }

  /// The second stops, and polls for the agent, which is as good as another thread; until `end`.
  Decision second_stops(const std::function<bool()>& end) {
    return second_.reached(
        cut::Place::elsewhere, cut::nobody,
        [&] {
          if (end()) agent_.cancel({CPPC_ERR_CANCELLED, 1});
          static_cast<void>(agent_.poll());
        },
        [&](CollectiveCount* count, const cut::Operation& operation) {
          EXPECT_EQ(count, second_count_);
          EXPECT_EQ(operation, (cut::Operation{9, 3}));
          ++taken_part_;
          first_.current()->number = 0;
          EXPECT_TRUE(CutRank::withdrawn(first_count_));
        });
  }

  CollectiveCount* first_count_;
  CollectiveCount* second_count_;
  int taken_part_ = 0;
};

TEST_F(Withdrawal, HasTheOneOutsideTakePartOnceAndTheOneInsideBeginAgain) {
  EXPECT_FALSE(CutRank::withdrawn(first_count_));
  EXPECT_EQ(second_stops([&] { return taken_part_ > 0; }), Decision::go_on);
  EXPECT_EQ(taken_part_, 1);
  EXPECT_EQ(first_count_->begun, 0U);
  EXPECT_EQ(second_count_->begun, 0U);
  EXPECT_FALSE(CutRank::withdrawn(first_count_));
  EXPECT_EQ(agent_.state(), State::cancelled);
}

TEST_F(Withdrawal, EndsInACutOfBoth) {
  bool stopped = false;
  std::thread other;
  const auto stop_first = [&] {
    if (taken_part_ > 0 && !stopped) {
      stopped = true;
      other =
          std::thread([&] { EXPECT_EQ(first_.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::stop); });
    }
    return false;
  };
  EXPECT_EQ(second_stops(stop_first), Decision::stop);
  other.join();
  EXPECT_EQ(first_count_->begun, second_count_->begun);
}

TEST_F(Withdrawal, LeavesARankLostWhoseAgentLosesTheOthersOnceItIsAnnounced) {
  EXPECT_EQ(second_stops([&] {
              rounds_.broken = second_count_->announced != 0;
              return false;
            }),
            Decision::lost);
  EXPECT_EQ(taken_part_, 0);
}

TEST_F(CutPage, GivesUpWhenARankIsInMpiFinalize) {
  second_side_.finishing();
  start();
  EXPECT_EQ(poll(), State::cancelled);
  EXPECT_EQ(agent_.reason(), (Reason{CPPC_ERR_REFUSED, 2}));
}

TEST_F(CutPage, GivesUpWhileARankHasTooManyCommunicators) {
  std::vector<CollectiveCount*> rows;
  for (std::uint32_t i = 0; i <= CutRank::most; ++i) rows.push_back(first_.open(1000 + i, 1 + 1));
  EXPECT_EQ(rows.back(), nullptr);
  start();
  EXPECT_EQ(poll(), State::cancelled);
  EXPECT_EQ(agent_.reason(), (Reason{CPPC_ERR_UNSUPPORTED, 0}));
  for (auto* const row : rows) first_.close(row);
  start();
  EXPECT_EQ(poll(), State::closing);
}

TEST_F(CutPage, RowsAreUsedAgainWithoutTheTargetsOfOthers) {
  second_.open(77, 2);
  auto* const row = first_.open(77, 2);
  first_.begin(row);
  start();
  poll(2);
  first_.close(row);
  EXPECT_EQ(first_.open(78, 2), row);
  EXPECT_EQ(second_.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::go_on);
}

TEST_F(CutPage, RanksGoOnWhenTheAgentsLoseEachOther) {
  start();
  rounds_.broken = true;
  EXPECT_EQ(agent_.poll().error(), CPPC_ERR_MPI);
  EXPECT_EQ(agent_.state(), State::cancelled);
  EXPECT_EQ(first_.reached(cut::Place::collective, cut::nobody, {}, {}), Decision::go_on);
}

TEST_F(CutPage, AStartOutOfTurnIsRefused) {
  start();
  EXPECT_EQ(agent_.start(2, 1h, {}).error(), CPPC_ERR_STATE);
  EXPECT_EQ(agent_.start(3, 1h, {17}).error(), CPPC_ERR_ARGUMENT);
  agent_.cancel({CPPC_ERR_CANCELLED, 0});
  EXPECT_EQ(poll(), State::cancelled);
  EXPECT_EQ(CutAgent(page_, rounds_).start(1, 1h, {}).error(), CPPC_ERR_ARGUMENT) << "its epoch has been used";
}

TEST(CutReport, ComesBackAsItWasSent) {
  cut::Report sent{.moving = 3, .uninterruptible = 1, .give_up = Reason{CPPC_ERR_REFUSED, 5}};
  sent.standings = {{.id = 1, .most = 9, .size = 4, .holders = 3, .at_most = 2}};
  sent.unacknowledged = 2;
  sent.withdrawables = {
      {.withdrawal = {1, 10, {8, 6}}, .alike = false, .inside = 2, .outside = 1},
      {.withdrawal = {3, 4, {}}, .outside = 5},
  };
  sent.waits = {{.rank = 7, .whom = cut::anybody, .presses = true}};
  const auto words = encode(sent);
  const auto got = decode_report(words);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->standings, sent.standings);
  EXPECT_EQ(got->moving, 3U);
  EXPECT_EQ(got->uninterruptible, 1U);
  EXPECT_EQ(got->unacknowledged, 2U);
  EXPECT_EQ(got->give_up, sent.give_up);
  ASSERT_EQ(got->withdrawables.size(), 2U);
  EXPECT_EQ(got->withdrawables[0].withdrawal, sent.withdrawables[0].withdrawal);
  EXPECT_FALSE(got->withdrawables[0].alike);
  EXPECT_EQ(got->withdrawables[0].inside, 2U);
  EXPECT_EQ(got->withdrawables[0].outside, 1U);
  EXPECT_TRUE(got->withdrawables[1].alike);
  EXPECT_EQ(got->withdrawables[1].outside, 5U);
  ASSERT_EQ(got->waits.size(), 1U);
  EXPECT_EQ(got->waits[0].whom, cut::anybody);
  EXPECT_EQ(got->waits[0].rank, 7);
  EXPECT_TRUE(got->waits[0].presses);
  EXPECT_FALSE(decode_report(std::span(words).first(words.size() - 1)));
  EXPECT_FALSE(decode_report({}));
}

}  // namespace
