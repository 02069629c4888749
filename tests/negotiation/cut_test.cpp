#include "cppc/cut.hpp"

#include <gtest/gtest.h>

#include <array>

namespace cppc::negotiation::cut {
namespace {

constexpr std::uint16_t epoch = 7;
constexpr unsigned stable_rounds = 3;

Membership in(std::uint64_t id, std::uint64_t begun, std::uint64_t target = 0, std::uint32_t size = 2) {
  return {.id = id, .begun = begun, .target = target, .size = size};
}

/// A report of one rank alone.
Report of(int rank, const std::vector<Membership>& memberships, int waits_for = nobody, bool stopped = false,
          bool inside = false) {
  const RankView view{
      .rank = rank, .stopped = stopped, .inside = inside, .waits_for = waits_for, .memberships = memberships};
  return report(std::span(&view, 1), Phase::gathering);
}

Phase evaluate(Arbiter& arbiter, const std::vector<Report>& reports) { return arbiter.evaluate(reports).word.phase(); }

TEST(CutWord, KeepsPhaseEpochAndTurn) {
  constexpr Word word(Phase::closing, epoch, 12345);
  EXPECT_EQ(word.phase(), Phase::closing);
  EXPECT_EQ(word.epoch(), epoch);
  EXPECT_EQ(word.turn(), 12345U);
  EXPECT_EQ(Word().phase(), Phase::idle);
  constexpr Reason reason{CPPC_ERR_REFUSED, 99'999};
  EXPECT_EQ(Word(Phase::cancelled, epoch, encode(reason)).reason(), reason);
}

TEST(CutRankMove, WhileGatheringOnlyTheBeginningOfACollectiveOperationIsHeld) {
  constexpr Word word(Phase::gathering, epoch, 1);
  EXPECT_EQ(rank_move(word, false, false, false, Place::collective), RankMove::hold);
  EXPECT_EQ(rank_move(word, true, false, false, Place::collective), RankMove::go_on);
  EXPECT_EQ(rank_move(word, false, true, false, Place::collective), RankMove::go_on);
  EXPECT_EQ(rank_move(word, false, false, false, Place::elsewhere), RankMove::go_on);
}

TEST(CutRankMove, WhileClosingWhoIsNotBehindStops) {
  constexpr Word word(Phase::closing, epoch, 2);
  EXPECT_EQ(rank_move(word, false, false, false, Place::elsewhere), RankMove::stop);
  EXPECT_EQ(rank_move(word, false, true, false, Place::collective), RankMove::stop);
  EXPECT_EQ(rank_move(word, true, false, false, Place::elsewhere), RankMove::go_on);
}

TEST(CutRankMove, WhileWithdrawingEverybodyStops) {
  constexpr Word word(Phase::withdrawing, epoch, 3);
  for (const Place place : {Place::elsewhere, Place::collective})
    for (const bool is_behind : {false, true})
      EXPECT_EQ(rank_move(word, is_behind, false, false, place), RankMove::stop);
}

TEST(CutRankMove, TheCutIsForThoseWhoHaveStoppedInItsTurn) {
  constexpr Word word(Phase::decided, epoch, 2);
  EXPECT_EQ(rank_move(word, false, false, true, Place::elsewhere), RankMove::done);
  EXPECT_EQ(rank_move(word, false, false, false, Place::elsewhere), RankMove::go_on);
  EXPECT_EQ(rank_move({}, false, false, false, Place::collective), RankMove::go_on);
  EXPECT_EQ(rank_move(Word(Phase::cancelled, epoch, 0), false, false, false, Place::collective), RankMove::go_on);
}

TEST(CutReport, CountsMembersAndThoseWhoHaveBegunMost) {
  const std::array one{in(5, 3, 0, 4), in(4, 1)};
  const std::array two{in(5, 2, 3, 4)};
  const std::array views{RankView{.rank = 0, .stopped = true, .memberships = one},
                         RankView{.rank = 1, .inside = true, .waits_for = 0, .memberships = two}};
  const Report made = report(views, Phase::gathering);
  EXPECT_EQ(made.standings, (std::vector<Standing>{{.id = 4, .most = 1, .size = 2, .holders = 1, .at_most = 1},
                                                   {.id = 5, .most = 3, .size = 4, .holders = 2, .at_most = 1}}));
  ASSERT_EQ(made.waits.size(), 1U);
  EXPECT_TRUE(made.waits[0].presses);
  EXPECT_EQ(made.moving, 1U);
  EXPECT_EQ(made.uninterruptible, 1U);
}

TEST(CutJudge, TargetsAreTheHighestCounts) {
  Arbiter one(epoch, stable_rounds);
  EXPECT_EQ(evaluate(one, {of(0, {in(1, 4), in(2, 1)}), of(1, {in(1, 6), in(2, 1)})}), Phase::gathering);
  EXPECT_EQ(one.verdict().target(1), 6U);
  EXPECT_EQ(one.verdict().target(2), 1U);
  EXPECT_EQ(one.verdict().target(3), 0U);
}

TEST(CutJudge, DecidesWhenAllAreLevelAndHaveStopped) {
  Arbiter one(epoch, stable_rounds);
  const std::vector<Report> moving{of(0, {in(1, 4)}), of(1, {in(1, 4)})};
  const std::vector<Report> stopped{of(0, {in(1, 4)}, nobody, true), of(1, {in(1, 4)}, nobody, true)};
  EXPECT_EQ(evaluate(one, moving), Phase::closing);
  EXPECT_EQ(evaluate(one, {stopped[0], moving[1]}), Phase::closing);
  EXPECT_EQ(one.verdict().word.turn(), 2U);
  EXPECT_EQ(evaluate(one, stopped), Phase::decided);
  EXPECT_EQ(one.verdict().word.turn(), 2U);
}

TEST(CutJudge, GathersAgainWhenAllHaveStoppedAndOneIsBehind) {
  Arbiter one(epoch, stable_rounds);
  evaluate(one, {of(0, {in(1, 4)}), of(1, {in(1, 4)})});
  EXPECT_EQ(evaluate(one, {of(0, {in(1, 5)}, nobody, true), of(1, {in(1, 4)}, nobody, true)}), Phase::gathering);
  EXPECT_EQ(one.verdict().word.turn(), 3U);
}

TEST(CutJudge, NeedsThoseForWhomRanksWaitThatAreBehind) {
  Arbiter one(epoch, stable_rounds);
  evaluate(one, {of(0, {in(1, 4, 5)}, 3), of(1, {in(1, 5, 5)}, 7), of(3, {}, 2), of(2, {}, 3)});
  EXPECT_EQ(one.verdict().needed, (std::vector<int>{2, 3}));
  EXPECT_TRUE(one.verdict().needs(3));
  EXPECT_FALSE(one.verdict().needs(7));
}

TEST(CutJudge, NeedsEverybodyForAnUnknownOneAfterSomeRoundsWithoutChange) {
  Arbiter one(epoch, stable_rounds);
  const std::vector<Report> stuck{of(0, {in(1, 4, 5)}, anybody), of(1, {in(1, 5, 5)})};
  for (unsigned round = 0; round < stable_rounds; ++round) {
    evaluate(one, stuck);
    EXPECT_FALSE(one.verdict().all_needed);
  }
  evaluate(one, stuck);
  EXPECT_TRUE(one.verdict().needs(17));
  const std::vector<Report> other{of(0, {in(1, 4, 6)}, anybody), of(1, {in(1, 6, 6)})};
  for (unsigned round = 0; round < 2 * stable_rounds; ++round) {
    evaluate(one, other);
    EXPECT_FALSE(one.verdict().all_needed) << "it waits twice as long the next time";
  }
  evaluate(one, other);
  EXPECT_TRUE(one.verdict().all_needed);
}

TEST(CutJudge, SendsMembersOnToFreeWhatOthersHaveFreed) {
  Arbiter one(epoch, stable_rounds);
  const std::vector<Report> half{of(0, {in(1, 4), in(2, 3)}), of(1, {in(1, 4)})};
  EXPECT_EQ(evaluate(one, half), Phase::gathering);
  EXPECT_EQ(one.verdict().target(2), 3U);
  EXPECT_EQ(evaluate(one, half), Phase::gathering);
  EXPECT_EQ(one.verdict().target(2), 4U);
  EXPECT_EQ(evaluate(one, {of(0, {in(1, 4)}), of(1, {in(1, 4)})}), Phase::closing);
}

TEST(CutJudge, GathersWhileARankIsInsideACallThatItCannotLeave) {
  Arbiter one(epoch, stable_rounds);
  const Report uninterruptible = of(0, {}, anybody, false, true);
  EXPECT_EQ(evaluate(one, {uninterruptible, of(1, {})}), Phase::gathering);
  EXPECT_EQ(evaluate(one, {of(0, {}), of(1, {})}), Phase::closing);
  for (unsigned round = 0; round < stable_rounds; ++round)
    EXPECT_EQ(evaluate(one, {uninterruptible, of(1, {}, nobody, true)}),
              round + 1 < stable_rounds ? Phase::closing : Phase::gathering);
}

TEST(CutJudge, ClosesAfterAWhileThoughSomebodyIsAlwaysInsideSuchACall) {
  constexpr unsigned withdrawal_rounds = 4;
  Arbiter one(epoch, stable_rounds, withdrawal_rounds);
  const Report uninterruptible = of(0, {}, anybody, false, true), stopped = of(1, {}, nobody, true);
  for (int times = 0; times < 3; ++times) {
    for (unsigned round = 0; round + 1 < withdrawal_rounds; ++round)
      EXPECT_EQ(evaluate(one, {uninterruptible, of(1, {})}), Phase::gathering);
    EXPECT_EQ(evaluate(one, {uninterruptible, of(1, {})}), Phase::closing);
    for (unsigned round = 0; round + 1 < withdrawal_rounds; ++round)
      EXPECT_EQ(evaluate(one, {uninterruptible, stopped}), Phase::closing);
    EXPECT_EQ(evaluate(one, {uninterruptible, stopped}), Phase::gathering) << "it waits for one that has stopped";
  }
}

/// An operation of two ranks, which the first one is inside of.
class CutWithdrawal : public testing::Test {
 protected:
  static constexpr unsigned withdrawal_rounds = 2;
  static constexpr Withdrawal operation{1, 5, {9, 3}};

  Report rank(int number, std::uint64_t begun, bool stopped, const Withdrawal& within = {},
              std::uint32_t unacknowledged = 0) {
    const std::array memberships{in(1, begun)};
    const RankView view{.rank = number,
                        .stopped = stopped,
                        .within = within,
                        .unacknowledged = unacknowledged,
                        .memberships = memberships};
    return report(std::span(&view, 1), arbiter_.verdict().word.phase());
  }

  Phase evaluate(const Report& first, const Report& second) {
    return arbiter_.evaluate(std::array{first, second}).word.phase();
  }

  void come_to_withdrawing() {
    for (unsigned round = 0; round < withdrawal_rounds; ++round)
      EXPECT_EQ(evaluate(rank(0, 5, false, operation), rank(1, 4, false)), Phase::gathering);
    EXPECT_EQ(evaluate(rank(0, 5, false, operation), rank(1, 4, false)), Phase::withdrawing);
  }

  Arbiter arbiter_{epoch, stable_rounds, withdrawal_rounds, 8 * withdrawal_rounds};
};

TEST_F(CutWithdrawal, IsAnnouncedThenCarriedOutAndOverWhenAllHaveHeededIt) {
  come_to_withdrawing();
  evaluate(rank(0, 5, false, operation), rank(1, 4, false));
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty()) << "the second has not stopped";
  evaluate(rank(0, 5, false, operation), rank(1, 4, true));
  EXPECT_EQ(arbiter_.verdict().withdrawals, std::vector{operation});
  EXPECT_FALSE(arbiter_.verdict().take_part);
  evaluate(rank(0, 5, false, operation, 1), rank(1, 4, true, {}, 1));
  EXPECT_TRUE(arbiter_.verdict().take_part);
  evaluate(rank(0, 4, false), rank(1, 4, true, {}, 1));
  EXPECT_TRUE(arbiter_.verdict().take_part) << "the second has not come out";
  EXPECT_EQ(evaluate(rank(0, 4, false), rank(1, 4, true)), Phase::withdrawing);
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty());
  EXPECT_EQ(evaluate(rank(0, 4, true), rank(1, 4, true)), Phase::decided);
}

TEST_F(CutWithdrawal, IsOfWhatAllWhoHaveBegunItAreInside) {
  come_to_withdrawing();
  evaluate(rank(0, 5, true), rank(1, 4, true));
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty()) << "the first has left it";
  evaluate(rank(0, 5, false, operation), rank(1, 5, false, operation));
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty()) << "all have begun it";
  evaluate(rank(0, 5, false, {1, 4, {9, 3}}), rank(1, 4, true));
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty()) << "what the first is inside of is not known";
}

TEST_F(CutWithdrawal, IsNotOfWhatMembersHaveBegunWithDifferentArguments) {
  Report first = rank(0, 5, false, operation);
  come_to_withdrawing();
  first = rank(0, 5, false, operation);
  add(first, rank(2, 5, false, {1, 5, {9, 4}}));
  for (Standing& one : first.standings) one.size = 3;
  Report second = rank(1, 4, true);
  for (Standing& one : second.standings) one.size = 3;
  evaluate(first, second);
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty());
}

TEST_F(CutWithdrawal, IsNotRepeatedWhenThoseInsideBeginItAgain) {
  come_to_withdrawing();
  evaluate(rank(0, 5, false, operation), rank(1, 4, true));
  evaluate(rank(0, 4, false), rank(1, 4, true));
  EXPECT_EQ(evaluate(rank(0, 5, false, operation), rank(1, 4, true)), Phase::withdrawing);
  EXPECT_TRUE(arbiter_.verdict().withdrawals.empty());
  for (unsigned round = 1; round < withdrawal_rounds; ++round) evaluate(rank(0, 5, false, operation), rank(1, 4, true));
  EXPECT_EQ(evaluate(rank(0, 5, false, operation), rank(1, 4, true)), Phase::gathering);
}

TEST_F(CutWithdrawal, GivesWayToGatheringWhenThereIsNothingToWithdraw) {
  come_to_withdrawing();
  for (unsigned round = 1; round < withdrawal_rounds; ++round)
    EXPECT_EQ(evaluate(rank(0, 5, true), rank(1, 4, true)), Phase::withdrawing);
  EXPECT_EQ(evaluate(rank(0, 5, true), rank(1, 4, true)), Phase::gathering);
  for (unsigned round = 1; round < 2 * withdrawal_rounds; ++round)
    EXPECT_EQ(evaluate(rank(0, 5, false), rank(1, 4, false)), Phase::gathering);
  EXPECT_EQ(evaluate(rank(0, 5, false), rank(1, 4, false)), Phase::withdrawing);
}

TEST_F(CutWithdrawal, IsBroughtToItsEndBeforeTheAgreementIsGivenUp) {
  come_to_withdrawing();
  evaluate(rank(0, 5, false, operation), rank(1, 4, true));
  Report giving_up = rank(0, 5, false, operation, 1);
  giving_up.give_up = Reason{CPPC_ERR_TIMEOUT, 1};
  EXPECT_EQ(evaluate(giving_up, rank(1, 4, true, {}, 1)), Phase::withdrawing);
  EXPECT_TRUE(arbiter_.verdict().take_part);
  Report acknowledged = rank(0, 4, false);
  acknowledged.give_up = Reason{CPPC_ERR_TIMEOUT, 1};
  EXPECT_EQ(evaluate(acknowledged, rank(1, 4, true)), Phase::withdrawing);
  EXPECT_EQ(evaluate(acknowledged, rank(1, 4, true)), Phase::cancelled);
}

TEST(CutJudge, GivesUpForTheFirstReason) {
  Arbiter one(epoch, stable_rounds);
  Report first = of(0, {});
  first.give_up = Reason{CPPC_ERR_REFUSED, 4};
  Report second = of(1, {});
  second.give_up = Reason{CPPC_ERR_TIMEOUT, 5};
  EXPECT_EQ(evaluate(one, {of(2, {}), first, second}), Phase::cancelled);
  EXPECT_EQ(one.verdict().word.reason(), (Reason{CPPC_ERR_REFUSED, 4}));
}

}  // namespace
}  // namespace cppc::negotiation::cut
