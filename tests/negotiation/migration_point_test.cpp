// Each transition of the word, and each move of a rank and of an agent.

#include "cppc/migration_point.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace cppc::negotiation;
using Kind = Event::Kind;

constexpr std::uint16_t epoch = 7;
constexpr std::uint64_t limit = Word::value_limit;

constexpr Word word(Phase phase, std::uint64_t value) { return {phase, epoch, value}; }
constexpr std::optional<Word> after(Word from, Kind kind, std::uint64_t value = 0) {
  return next(from, {kind, epoch, value});
}

// The functions are usable at compile time, as a model of them will want.
static_assert(after(word(Phase::idle, 0), Kind::open) == word(Phase::open, 0));

TEST(Word, KeepsItsParts) {
  const Word full(Phase::cancelled, 0xffff, limit);
  EXPECT_EQ(full.phase(), Phase::cancelled);
  EXPECT_EQ(full.epoch(), 0xffff);
  EXPECT_EQ(full.maximum(), limit);
  const Word sparse(Phase::open, 0, 1);
  EXPECT_EQ(sparse.epoch(), 0);
  EXPECT_EQ(sparse.maximum(), 1U);
  EXPECT_EQ(Word(full.bits()), full);
  EXPECT_EQ(Word().phase(), Phase::idle);
}

TEST(Word, KeepsReasons) {
  for (const Reason reason : {Reason{CPPC_ERR_TIMEOUT, 0}, Reason{CPPC_ERR_REFUSED, 99'999}, Reason{CPPC_ERR_PEER, -1},
                              Reason{CPPC_ERR_CANCELLED, 0x7fff'fffe}}) {
    EXPECT_EQ(word(Phase::cancelled, encode(reason)).reason(), reason);
  }
}

// For every phase and event: the phase it leads to, or -1.
TEST(Next, AllowsExactlyWhatThePhaseAllows) {
  constexpr int no = -1;
  constexpr int open = int(Phase::open), fixed = int(Phase::fixed), asked = int(Phase::asked);
  constexpr int decided = int(Phase::decided), cancelled = int(Phase::cancelled), idle = int(Phase::idle);
  // Events in the order of Event::Kind:   open  raise fix    ask    lift   decide   cancel     conclude
  const std::array<std::array<int, 8>, 6> table{{/* idle      */ {open, no, no, no, no, no, no, no},
                                                 /* open      */ {no, open, fixed, no, no, decided, cancelled, no},
                                                 /* fixed     */ {no, no, no, asked, no, decided, cancelled, no},
                                                 /* asked     */ {no, no, no, no, fixed, decided, cancelled, no},
                                                 /* decided   */ {open, no, no, no, no, no, no, idle},
                                                 /* cancelled */ {open, no, no, no, no, no, no, no}}};
  for (int phase = 0; phase < 6; ++phase) {
    for (int kind = 0; kind < 8; ++kind) {
      const auto result = after(word(static_cast<Phase>(phase), 5), static_cast<Kind>(kind), 6);
      EXPECT_EQ(result ? static_cast<int>(result->phase()) : no, table[phase][kind])
          << "phase " << phase << ", event " << kind;
    }
  }
}

TEST(Next, RefusesEventsOfAnotherEpoch) {
  for (const Kind kind : {Kind::raise, Kind::fix, Kind::decide, Kind::cancel}) {
    EXPECT_FALSE(next(word(Phase::open, 5), {kind, epoch + 1, 6}));
  }
  EXPECT_FALSE(next(word(Phase::fixed, 5), {Kind::ask, epoch + 1}));
  EXPECT_FALSE(next(word(Phase::asked, 5), {Kind::lift, epoch + 1, 6}));
  EXPECT_FALSE(next(word(Phase::decided, 5), {Kind::conclude, epoch + 1}));
}

TEST(Next, OpensANewEpochFromNothing) {
  const auto opened = next(word(Phase::cancelled, 99), {Kind::open, epoch + 1});
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, Word(Phase::open, epoch + 1, 0));
}

TEST(Next, NeverTakesBackAMaximum) {
  EXPECT_EQ(after(word(Phase::open, 5), Kind::raise, 3), word(Phase::open, 5));
  EXPECT_EQ(after(word(Phase::open, 5), Kind::raise, 5), word(Phase::open, 5));
  EXPECT_EQ(after(word(Phase::open, 5), Kind::fix), word(Phase::fixed, 5));
  EXPECT_EQ(after(word(Phase::fixed, 5), Kind::ask), word(Phase::asked, 5));
  EXPECT_FALSE(after(word(Phase::asked, 5), Kind::lift, 5));
  EXPECT_FALSE(after(word(Phase::fixed, 5), Kind::decide, 4));
  EXPECT_EQ(after(word(Phase::fixed, 5), Kind::decide, 5), word(Phase::decided, 5));
  EXPECT_EQ(after(word(Phase::open, 5), Kind::decide, 9), word(Phase::decided, 9));
}

TEST(Next, RefusesCountsThatDoNotFit) {
  EXPECT_EQ(after(word(Phase::open, 5), Kind::raise, limit), word(Phase::open, limit));
  EXPECT_FALSE(after(word(Phase::open, 5), Kind::raise, limit + 1));
  EXPECT_FALSE(after(word(Phase::asked, 5), Kind::lift, limit + 1));
  EXPECT_FALSE(after(word(Phase::fixed, 5), Kind::decide, limit + 1));
}

void expect_move(Word page, bool joined, std::uint64_t passed, RankMove::Kind kind) {
  EXPECT_EQ(rank_move(page, joined, passed).kind, kind)
      << "phase " << int(page.phase()) << " maximum " << page.maximum() << " passed " << passed;
}

TEST(RankMove, GoesOnWhenNothingRuns) {
  for (const bool joined : {false, true}) {
    expect_move(word(Phase::idle, 0), joined, 5, RankMove::Kind::go_on);
    expect_move(word(Phase::cancelled, 5), joined, 5, RankMove::Kind::go_on);
  }
}

TEST(RankMove, RaisesBeforeItPasses) {
  for (const bool joined : {false, true}) {
    const RankMove move = rank_move(word(Phase::open, 5), joined, 5);
    EXPECT_EQ(move.kind, RankMove::Kind::swap);
    EXPECT_EQ(move.to, word(Phase::open, 6));
  }
  expect_move(word(Phase::open, 6), false, 5, RankMove::Kind::join);
  expect_move(word(Phase::open, 6), true, 5, RankMove::Kind::go_on);
}

TEST(RankMove, AsksAtTheCeilingAndWaits) {
  expect_move(word(Phase::fixed, 6), true, 5, RankMove::Kind::go_on);
  expect_move(word(Phase::asked, 6), true, 5, RankMove::Kind::go_on);
  const RankMove move = rank_move(word(Phase::fixed, 6), true, 6);
  EXPECT_EQ(move.kind, RankMove::Kind::swap);
  EXPECT_EQ(move.to, word(Phase::asked, 6));
  expect_move(word(Phase::asked, 6), true, 6, RankMove::Kind::wait);
}

TEST(RankMove, StopsAtTheMigrationPointOnly) {
  expect_move(word(Phase::decided, 6), true, 5, RankMove::Kind::go_on);
  expect_move(word(Phase::decided, 6), true, 6, RankMove::Kind::stop);
}

TEST(RankMove, RefusesWhatCannotBe) {
  EXPECT_EQ(rank_move(word(Phase::decided, 6), true, 7).why, CPPC_ERR_MISMATCH);
  EXPECT_EQ(rank_move(word(Phase::asked, 6), true, 7).why, CPPC_ERR_MISMATCH);
  EXPECT_EQ(rank_move(word(Phase::fixed, 6), false, 3).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::decided, 6), false, 6).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::open, 6), true, limit).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::open, 6), true, ~std::uint64_t{0}).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::open, 6), true, limit - 1).to, word(Phase::open, limit));
}

TEST(NextStep, GrowsWhileLiftsAreUsedUpFast) {
  using namespace std::chrono_literals;
  std::uint64_t step = 1;
  for (int lifts = 0; lifts < 20; ++lifts) step = next_step(step, 10ms);
  EXPECT_EQ(step, 1U << 20);
  EXPECT_EQ(next_step(step, 1s), 1U << 19);
  EXPECT_EQ(next_step(1, 1s), 1U);
}

class Agent : public testing::Test {
 protected:
  Agent() {
    view.epoch = epoch;
    view.page = word(Phase::open, 5);
    view.board = word(Phase::open, 0);
  }
  void expect(AgentMove::Kind kind, std::optional<Word> to = std::nullopt) const {
    const AgentMove move = agent_move(view);
    EXPECT_EQ(move.kind, kind);
    EXPECT_EQ(move.to, to.value_or(move.to));
  }
  AgentView view;
  static constexpr auto page = AgentMove::Kind::swap_page;
  static constexpr auto board = AgentMove::Kind::swap_board;
  static constexpr auto look = AgentMove::Kind::look;
};

TEST_F(Agent, OnlyTheLeaderOpens) {
  for (const Word old : {Word(), Word(Phase::cancelled, epoch - 1, 3), Word(Phase::decided, epoch - 1, 3)}) {
    view.board = old;
    view.leader = false;
    expect(look);
    view.leader = true;
    expect(board, word(Phase::open, 0));
  }
}

TEST_F(Agent, KnowsEpochsThatHaveWrapped) {
  view.epoch = 2;
  view.page = Word(Phase::open, 2, 5);
  view.board = Word(Phase::cancelled, 0xffff, 0);
  expect(look);
  view.epoch = 0xffff;
  view.page = Word(Phase::open, 0xffff, 5);
  view.board = Word(Phase::open, 2, 0);
  expect(page, Word(Phase::cancelled, 0xffff, encode(Reason{})));
}

TEST_F(Agent, FixesRaisesReports) {
  expect(look);
  view.all_joined = true;
  expect(page, word(Phase::fixed, 5));
  view.page = word(Phase::fixed, 5);
  expect(board, word(Phase::open, 5));
  view.board = word(Phase::open, 5);
  expect(AgentMove::Kind::report);
  view.reported = true;
  expect(look);
}

TEST_F(Agent, DoesNotRaiseWhatIsHighEnough) {
  view.page = word(Phase::fixed, 5);
  view.board = word(Phase::open, 8);
  expect(AgentMove::Kind::report);
}

TEST_F(Agent, LiftsOnlyAsFarAsTheBoardPromises) {
  view.page = word(Phase::asked, 5);
  view.board = word(Phase::open, 5);
  view.reported = true;
  view.step = 4;
  expect(board, word(Phase::open, 9));
  view.board = word(Phase::open, 9);
  expect(page, word(Phase::fixed, 9));
}

TEST_F(Agent, GivesUpWhenTheCeilingCannotRise) {
  view.page = word(Phase::asked, limit - 1);
  view.board = word(Phase::open, limit - 1);
  view.reported = true;
  view.step = 4;
  expect(board, word(Phase::open, limit));
  view.page = word(Phase::asked, limit);
  view.board = word(Phase::open, limit);
  expect(board, word(Phase::cancelled, encode({CPPC_ERR_STATE, -1})));
}

TEST_F(Agent, LeaderDecidesWhenAllHaveReported) {
  view.page = word(Phase::asked, 5);
  view.board = word(Phase::open, 9);
  view.reported = true;
  view.all_reported = true;
  expect(page, word(Phase::fixed, 9));
  view.leader = true;
  expect(board, word(Phase::decided, 9));
}

TEST_F(Agent, PassesTheOutcomeOnBeforeItAcknowledges) {
  const Reason reason{CPPC_ERR_TIMEOUT, 3};
  for (const Word outcome : {word(Phase::decided, 9), word(Phase::cancelled, encode(reason))}) {
    view.page = word(Phase::asked, 5);
    view.board = outcome;
    view.acknowledged = false;
    expect(page, outcome);
    view.page = outcome;
    expect(AgentMove::Kind::acknowledge);
    view.acknowledged = true;
    view.leader = true;
    expect(look);
    view.all_acknowledged = true;
    expect(AgentMove::Kind::done);
    view.leader = false;
    view.all_acknowledged = false;
    expect(AgentMove::Kind::done);
  }
}

TEST_F(Agent, CancelsWhatIsNotDecided) {
  const Reason reason{CPPC_ERR_REFUSED, 3};
  view.give_up = reason;
  for (const Phase phase : {Phase::open, Phase::fixed, Phase::asked}) {
    view.page = word(phase, 5);
    expect(board, word(Phase::cancelled, encode(reason)));
  }
  view.board = word(Phase::decided, 9);
  expect(page, word(Phase::decided, 9));
}

TEST_F(Agent, GivesUpWithoutTheLeader) {
  view.give_up = Reason{CPPC_ERR_TIMEOUT, 3};
  view.board = Word();
  expect(board, word(Phase::open, 0));
  view.board = word(Phase::open, 0);
  expect(board, word(Phase::cancelled, encode(*view.give_up)));
}

}  // namespace
