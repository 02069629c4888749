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
  return report(std::span(&view, 1));
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
  const Report made = report(views);
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
