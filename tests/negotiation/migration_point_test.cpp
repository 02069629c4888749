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
  constexpr int open = int(Phase::open), fixed = int(Phase::fixed);
  constexpr int decided = int(Phase::decided), cancelled = int(Phase::cancelled), idle = int(Phase::idle);
  // Events in the order of Event::Kind:   open  raise fix   decide  cancel    conclude
  const std::array<std::array<int, 6>, 5> table{{/* idle      */ {open, no, no, no, no, no},
                                                 /* open      */ {no, open, fixed, no, cancelled, no},
                                                 /* fixed     */ {no, no, no, decided, cancelled, no},
                                                 /* decided   */ {open, no, no, no, no, idle},
                                                 /* cancelled */ {open, no, no, no, no, no}}};
  for (std::size_t phase = 0; phase < table.size(); ++phase) {
    for (std::size_t kind = 0; kind < table[phase].size(); ++kind) {
      const auto result = after(word(static_cast<Phase>(phase), 5), static_cast<Kind>(kind), 6);
      EXPECT_EQ(result ? static_cast<int>(result->phase()) : no, table[phase][kind])
          << "phase " << phase << ", event " << kind;
    }
  }
}

TEST(Next, RefusesEventsOfAnotherEpoch) {
  for (const Kind kind : {Kind::raise, Kind::fix, Kind::cancel}) {
    EXPECT_FALSE(next(word(Phase::open, 5), {kind, epoch + 1, 6}));
  }
  EXPECT_FALSE(next(word(Phase::fixed, 5), {Kind::decide, epoch + 1, 6}));
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
  EXPECT_FALSE(after(word(Phase::fixed, 5), Kind::decide, 4));
  EXPECT_EQ(after(word(Phase::fixed, 5), Kind::decide, 5), word(Phase::decided, 5));
  EXPECT_EQ(after(word(Phase::fixed, 5), Kind::decide, 9), word(Phase::decided, 9));
}

TEST(Next, RefusesCountsThatDoNotFit) {
  EXPECT_EQ(after(word(Phase::open, 5), Kind::raise, limit), word(Phase::open, limit));
  EXPECT_FALSE(after(word(Phase::open, 5), Kind::raise, limit + 1));
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

TEST(RankMove, WaitsAtTheCeiling) {
  expect_move(word(Phase::fixed, 6), true, 5, RankMove::Kind::go_on);
  expect_move(word(Phase::fixed, 6), true, 6, RankMove::Kind::wait);
}

TEST(RankMove, StopsAtTheMigrationPointOnly) {
  expect_move(word(Phase::decided, 6), true, 5, RankMove::Kind::go_on);
  expect_move(word(Phase::decided, 6), true, 6, RankMove::Kind::stop);
}

TEST(RankMove, RefusesWhatCannotBe) {
  EXPECT_EQ(rank_move(word(Phase::decided, 6), true, 7).why, CPPC_ERR_MISMATCH);
  EXPECT_EQ(rank_move(word(Phase::fixed, 6), true, 7).why, CPPC_ERR_MISMATCH);
  EXPECT_EQ(rank_move(word(Phase::fixed, 6), false, 3).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::decided, 6), false, 6).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::open, 6), true, limit).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::open, 6), true, ~std::uint64_t{0}).why, CPPC_ERR_STATE);
  EXPECT_EQ(rank_move(word(Phase::open, 6), true, limit - 1).to, word(Phase::open, limit));
}

TEST(Below, TakesWordsTogether) {
  const Reason reason{CPPC_ERR_REFUSED, 3};
  Below below;
  EXPECT_TRUE(below.joined && below.fixed && below.settled);
  below.add(word(Phase::settled, 0));
  EXPECT_TRUE(below.joined && below.fixed && below.settled);
  below.add(word(Phase::fixed, 9));
  below.add(word(Phase::fixed, 4));
  EXPECT_TRUE(below.joined && below.fixed && !below.settled);
  EXPECT_EQ(below.maximum, 9U);
  below.add(word(Phase::open, 0));
  EXPECT_TRUE(below.joined && !below.fixed);
  below.add(word(Phase::cancelled, encode(reason)));
  below.add(word(Phase::cancelled, encode(Reason{})));
  EXPECT_FALSE(below.joined);
  EXPECT_EQ(below.give_up, reason);
  Below silent;
  silent.add(Word());
  EXPECT_FALSE(silent.joined || silent.fixed || silent.settled || silent.give_up);
}

TEST(Answer, IsWhatTheRootTells) {
  EXPECT_EQ(answer(word(Phase::open, 0), Word()), word(Phase::fixed, 0));
  EXPECT_EQ(answer(word(Phase::fixed, 9), word(Phase::fixed, 0)), word(Phase::decided, 9));
  EXPECT_EQ(answer(word(Phase::cancelled, 9), word(Phase::fixed, 0)), word(Phase::cancelled, 9));
  EXPECT_EQ(answer(word(Phase::settled, 0), word(Phase::decided, 9)), word(Phase::decided, 9));
}

/// An agent with one child, which has said nothing.
class Agent : public testing::Test {
 protected:
  Agent() {
    view.epoch = epoch;
    view.page = word(Phase::open, 5);
    child_sends(Word());
  }
  void child_sends(Word sent_up) {
    view.below = {};
    view.below.add(sent_up);
  }
  void expect(AgentMove::Kind kind, std::optional<Word> to = std::nullopt) const {
    const AgentMove move = agent_move(view);
    EXPECT_EQ(move.kind, kind);
    EXPECT_EQ(move.to, to.value_or(move.to));
  }
  AgentView view;
  static constexpr auto page = AgentMove::Kind::swap_page;
  static constexpr auto send_up = AgentMove::Kind::send_up;
  static constexpr auto send_down = AgentMove::Kind::send_down;
  static constexpr auto look = AgentMove::Kind::look;
};

TEST_F(Agent, SaysThatAllHaveJoinedOnce) {
  expect(look);
  view.all_joined = true;
  expect(look);
  child_sends(word(Phase::open, 0));
  expect(send_up, word(Phase::open, 0));
  view.sent_up = word(Phase::open, 0);
  expect(look);
  view.sent_up = {};
  view.all_joined = false;
  expect(look);
}

TEST_F(Agent, TellsThenFixesThenSaysTheHighestCeiling) {
  view.all_joined = true;
  child_sends(word(Phase::open, 0));
  view.sent_up = word(Phase::open, 0);
  view.above = word(Phase::fixed, 0);
  expect(send_down, word(Phase::fixed, 0));
  view.sent_down = word(Phase::fixed, 0);
  expect(page, word(Phase::fixed, 5));
  view.page = word(Phase::fixed, 5);
  expect(look);
  child_sends(word(Phase::fixed, 8));
  expect(send_up, word(Phase::fixed, 8));
  child_sends(word(Phase::fixed, 3));
  expect(send_up, word(Phase::fixed, 5));
  view.sent_up = word(Phase::fixed, 5);
  expect(look);
}

TEST_F(Agent, PassesTheOutcomeOnAndStaysUntilAllBelowKnow) {
  for (const Word outcome : {word(Phase::decided, 9), word(Phase::cancelled, encode(Reason{CPPC_ERR_TIMEOUT, 3}))}) {
    view.page = word(Phase::fixed, 5);
    view.sent_up = word(Phase::fixed, 5);
    view.sent_down = word(Phase::fixed, 0);
    child_sends(word(Phase::fixed, 5));
    view.above = outcome;
    expect(page, outcome);
    view.page = outcome;
    expect(send_down, outcome);
    view.sent_down = outcome;
    expect(look);
    child_sends(word(Phase::settled, 0));
    expect(send_up, word(Phase::settled, 0));
    view.sent_up = word(Phase::settled, 0);
    expect(AgentMove::Kind::done);
  }
}

TEST_F(Agent, GivesUpForItselfAndForThoseBelow) {
  const Reason own{CPPC_ERR_REFUSED, 3}, below{CPPC_ERR_TIMEOUT, 4};
  child_sends(word(Phase::cancelled, encode(below)));
  expect(send_up, word(Phase::cancelled, encode(below)));
  view.give_up = own;
  expect(send_up, word(Phase::cancelled, encode(own)));
  view.sent_up = word(Phase::cancelled, encode(own));
  expect(look);
  view.above = word(Phase::fixed, 0);  // on its way when this agent gave up
  expect(look);
  view.above = word(Phase::decided, 9);
  view.page = word(Phase::fixed, 5);
  expect(page, word(Phase::decided, 9));
}

}  // namespace
