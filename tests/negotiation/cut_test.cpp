#include "cppc/cut.hpp"

#include <gtest/gtest.h>

#include <array>

namespace cppc::negotiation::cut {
namespace {

constexpr std::uint16_t epoch = 7;
constexpr unsigned calm = 3;

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

Phase judge(Judge& judge, const std::vector<Report>& reports) { return judge.judge(reports).word.phase(); }

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
  EXPECT_EQ(made.caught, 1U);
}

TEST(CutJudge, TargetsAreTheHighestCounts) {
  Judge one(epoch, calm);
  EXPECT_EQ(judge(one, {of(0, {in(1, 4), in(2, 1)}), of(1, {in(1, 6), in(2, 1)})}), Phase::gathering);
  EXPECT_EQ(one.verdict().target(1), 6U);
  EXPECT_EQ(one.verdict().target(2), 1U);
  EXPECT_EQ(one.verdict().target(3), 0U);
}

TEST(CutJudge, DecidesWhenAllAreLevelAndHaveStopped) {
  Judge one(epoch, calm);
  const std::vector<Report> moving{of(0, {in(1, 4)}), of(1, {in(1, 4)})};
  const std::vector<Report> stopped{of(0, {in(1, 4)}, nobody, true), of(1, {in(1, 4)}, nobody, true)};
  EXPECT_EQ(judge(one, moving), Phase::closing);
  EXPECT_EQ(judge(one, {stopped[0], moving[1]}), Phase::closing);
  EXPECT_EQ(one.verdict().word.turn(), 2U);
  EXPECT_EQ(judge(one, stopped), Phase::decided);
  EXPECT_EQ(one.verdict().word.turn(), 2U);
}

TEST(CutJudge, GathersAgainWhenAllHaveStoppedAndOneIsBehind) {
  Judge one(epoch, calm);
  judge(one, {of(0, {in(1, 4)}), of(1, {in(1, 4)})});
  EXPECT_EQ(judge(one, {of(0, {in(1, 5)}, nobody, true), of(1, {in(1, 4)}, nobody, true)}), Phase::gathering);
  EXPECT_EQ(one.verdict().word.turn(), 3U);
}

TEST(CutJudge, NeedsThoseForWhomRanksWaitThatAreBehind) {
  Judge one(epoch, calm);
  judge(one, {of(0, {in(1, 4, 5)}, 3), of(1, {in(1, 5, 5)}, 7), of(3, {}, 2), of(2, {}, 3)});
  EXPECT_EQ(one.verdict().needed, (std::vector<int>{2, 3}));
  EXPECT_TRUE(one.verdict().needs(3));
  EXPECT_FALSE(one.verdict().needs(7));
}

TEST(CutJudge, NeedsEverybodyForAnUnknownOneAfterSomeRoundsWithoutChange) {
  Judge one(epoch, calm);
  const std::vector<Report> stuck{of(0, {in(1, 4, 5)}, anybody), of(1, {in(1, 5, 5)})};
  for (unsigned round = 0; round < calm; ++round) {
    judge(one, stuck);
    EXPECT_FALSE(one.verdict().all_needed);
  }
  judge(one, stuck);
  EXPECT_TRUE(one.verdict().needs(17));
  const std::vector<Report> other{of(0, {in(1, 4, 6)}, anybody), of(1, {in(1, 6, 6)})};
  for (unsigned round = 0; round < 2 * calm; ++round) {
    judge(one, other);
    EXPECT_FALSE(one.verdict().all_needed) << "it waits twice as long the next time";
  }
  judge(one, other);
  EXPECT_TRUE(one.verdict().all_needed);
}

TEST(CutJudge, SendsMembersOnToFreeWhatOthersHaveFreed) {
  Judge one(epoch, calm);
  const std::vector<Report> half{of(0, {in(1, 4), in(2, 3)}), of(1, {in(1, 4)})};
  EXPECT_EQ(judge(one, half), Phase::gathering);
  EXPECT_EQ(one.verdict().target(2), 3U);
  EXPECT_EQ(judge(one, half), Phase::gathering);
  EXPECT_EQ(one.verdict().target(2), 4U);
  EXPECT_EQ(judge(one, {of(0, {in(1, 4)}), of(1, {in(1, 4)})}), Phase::closing);
}

TEST(CutJudge, GathersWhileARankIsInsideACallThatItCannotLeave) {
  Judge one(epoch, calm);
  const Report caught = of(0, {}, anybody, false, true);
  EXPECT_EQ(judge(one, {caught, of(1, {})}), Phase::gathering);
  EXPECT_EQ(judge(one, {of(0, {}), of(1, {})}), Phase::closing);
  for (unsigned round = 0; round < calm; ++round)
    EXPECT_EQ(judge(one, {caught, of(1, {}, nobody, true)}), round + 1 < calm ? Phase::closing : Phase::gathering);
}

TEST(CutJudge, ClosesAfterAWhileThoughSomebodyIsAlwaysInsideSuchACall) {
  constexpr unsigned patience = 4;
  Judge one(epoch, calm, patience);
  const Report caught = of(0, {}, anybody, false, true), stopped = of(1, {}, nobody, true);
  for (int times = 0; times < 3; ++times) {
    for (unsigned round = 0; round + 1 < patience; ++round)
      EXPECT_EQ(judge(one, {caught, of(1, {})}), Phase::gathering);
    EXPECT_EQ(judge(one, {caught, of(1, {})}), Phase::closing);
    for (unsigned round = 0; round + 1 < patience; ++round) EXPECT_EQ(judge(one, {caught, stopped}), Phase::closing);
    EXPECT_EQ(judge(one, {caught, stopped}), Phase::gathering) << "it waits for one that has stopped";
  }
}

/// An operation of two ranks, which the first one is inside of.
class CutWithdrawal : public testing::Test {
 protected:
  static constexpr unsigned patience = 2;
  static constexpr Withdrawal operation{1, 5, {9, 3}};

  Report rank(int number, std::uint64_t begun, bool stopped, const Withdrawal& within = {},
              std::uint32_t unheeded = 0) {
    const std::array memberships{in(1, begun)};
    const RankView view{
        .rank = number, .stopped = stopped, .within = within, .unheeded = unheeded, .memberships = memberships};
    return report(std::span(&view, 1), judge_.verdict().word.phase());
  }

  Phase judge(const Report& first, const Report& second) {
    return judge_.judge(std::array{first, second}).word.phase();
  }

  void come_to_withdrawing() {
    for (unsigned round = 0; round < patience; ++round)
      EXPECT_EQ(judge(rank(0, 5, false, operation), rank(1, 4, false)), Phase::gathering);
    EXPECT_EQ(judge(rank(0, 5, false, operation), rank(1, 4, false)), Phase::withdrawing);
  }

  Judge judge_{epoch, calm, patience, 8 * patience};
};

TEST_F(CutWithdrawal, IsAnnouncedThenCarriedOutAndOverWhenAllHaveHeededIt) {
  come_to_withdrawing();
  judge(rank(0, 5, false, operation), rank(1, 4, false));
  EXPECT_TRUE(judge_.verdict().withdrawals.empty()) << "the second has not stopped";
  judge(rank(0, 5, false, operation), rank(1, 4, true));
  EXPECT_EQ(judge_.verdict().withdrawals, std::vector{operation});
  EXPECT_FALSE(judge_.verdict().take_part);
  judge(rank(0, 5, false, operation, 1), rank(1, 4, true, {}, 1));
  EXPECT_TRUE(judge_.verdict().take_part);
  judge(rank(0, 4, false), rank(1, 4, true, {}, 1));
  EXPECT_TRUE(judge_.verdict().take_part) << "the second has not come out";
  EXPECT_EQ(judge(rank(0, 4, false), rank(1, 4, true)), Phase::withdrawing);
  EXPECT_TRUE(judge_.verdict().withdrawals.empty());
  EXPECT_EQ(judge(rank(0, 4, true), rank(1, 4, true)), Phase::decided);
}

TEST_F(CutWithdrawal, IsOfWhatAllWhoHaveBegunItAreInside) {
  come_to_withdrawing();
  judge(rank(0, 5, true), rank(1, 4, true));
  EXPECT_TRUE(judge_.verdict().withdrawals.empty()) << "the first has left it";
  judge(rank(0, 5, false, operation), rank(1, 5, false, operation));
  EXPECT_TRUE(judge_.verdict().withdrawals.empty()) << "all have begun it";
  judge(rank(0, 5, false, {1, 4, {9, 3}}), rank(1, 4, true));
  EXPECT_TRUE(judge_.verdict().withdrawals.empty()) << "what the first is inside of is not known";
}

TEST_F(CutWithdrawal, IsNotOfWhatMembersHaveBegunWithDifferentArguments) {
  Report first = rank(0, 5, false, operation);
  come_to_withdrawing();
  first = rank(0, 5, false, operation);
  add(first, rank(2, 5, false, {1, 5, {9, 4}}));
  for (Standing& one : first.standings) one.size = 3;
  Report second = rank(1, 4, true);
  for (Standing& one : second.standings) one.size = 3;
  judge(first, second);
  EXPECT_TRUE(judge_.verdict().withdrawals.empty());
}

TEST_F(CutWithdrawal, IsNotRepeatedWhenThoseInsideBeginItAgain) {
  come_to_withdrawing();
  judge(rank(0, 5, false, operation), rank(1, 4, true));
  judge(rank(0, 4, false), rank(1, 4, true));
  EXPECT_EQ(judge(rank(0, 5, false, operation), rank(1, 4, true)), Phase::withdrawing);
  EXPECT_TRUE(judge_.verdict().withdrawals.empty());
  for (unsigned round = 1; round < patience; ++round) judge(rank(0, 5, false, operation), rank(1, 4, true));
  EXPECT_EQ(judge(rank(0, 5, false, operation), rank(1, 4, true)), Phase::gathering);
}

TEST_F(CutWithdrawal, GivesWayToGatheringWhenThereIsNothingToWithdraw) {
  come_to_withdrawing();
  for (unsigned round = 1; round < patience; ++round)
    EXPECT_EQ(judge(rank(0, 5, true), rank(1, 4, true)), Phase::withdrawing);
  EXPECT_EQ(judge(rank(0, 5, true), rank(1, 4, true)), Phase::gathering);
  for (unsigned round = 1; round < 2 * patience; ++round)
    EXPECT_EQ(judge(rank(0, 5, false), rank(1, 4, false)), Phase::gathering);
  EXPECT_EQ(judge(rank(0, 5, false), rank(1, 4, false)), Phase::withdrawing);
}

TEST_F(CutWithdrawal, IsBroughtToItsEndBeforeTheAgreementIsGivenUp) {
  come_to_withdrawing();
  judge(rank(0, 5, false, operation), rank(1, 4, true));
  Report giving_up = rank(0, 5, false, operation, 1);
  giving_up.give_up = Reason{CPPC_ERR_TIMEOUT, 1};
  EXPECT_EQ(judge(giving_up, rank(1, 4, true, {}, 1)), Phase::withdrawing);
  EXPECT_TRUE(judge_.verdict().take_part);
  Report heeded = rank(0, 4, false);
  heeded.give_up = Reason{CPPC_ERR_TIMEOUT, 1};
  EXPECT_EQ(judge(heeded, rank(1, 4, true)), Phase::withdrawing);
  EXPECT_EQ(judge(heeded, rank(1, 4, true)), Phase::cancelled);
}

TEST(CutJudge, GivesUpForTheFirstReason) {
  Judge one(epoch, calm);
  Report first = of(0, {});
  first.give_up = Reason{CPPC_ERR_REFUSED, 4};
  Report second = of(1, {});
  second.give_up = Reason{CPPC_ERR_TIMEOUT, 5};
  EXPECT_EQ(judge(one, {of(2, {}), first, second}), Phase::cancelled);
  EXPECT_EQ(one.verdict().word.reason(), (Reason{CPPC_ERR_REFUSED, 4}));
}

}  // namespace
}  // namespace cppc::negotiation::cut
