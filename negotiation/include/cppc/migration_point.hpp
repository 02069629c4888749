/// The agreement on a migration point, as pure functions on one 64-bit word: no I/O, no atomics, no clock.
///
/// Every rank passes the same sequence of safe points and counts its own. Sought is a point M that nobody has passed
/// and everybody stops at. Two kinds of words take part, with the same transitions: one per node, in the page that an
/// agent shares with its ranks, and one that the agents share, on the board. Whoever changes a word applies next() by
/// compare-and-swap, so that each transition is atomic to all others.
///
///   rank       sees the bell at safe point s: raises its page's maximum to s+1 before it passes s, marks itself
///   joined,
///              and works on; raises again before every further point that the maximum does not cover.
///   agent      all its ranks have joined: *fixes* the page (the maximum is now a ceiling), raises the board's maximum
///   to
///              the ceiling, reports.
///   rank       at its ceiling: *asks*, and waits for its agent alone. Below the ceiling it never waits.
///   agent      asked: raises the board's maximum above the ceiling and then *lifts* the ceiling as far. When that
///   fails,
///              the board is decided or cancelled, which is the answer.
///   leader     all agents have reported: *decides* M = the board's maximum.
///   agents     read the decision and copy it to their pages; each rank stops on reaching M.
///
/// Nobody passes M. A rank passes s only while its page's maximum is above s: it is the one who raised it (open), or
/// the ceiling allows it (fixed, asked). Fixing keeps the maximum, and the board's maximum is raised to a ceiling
/// before that ceiling is in force (lift) or before its node reports (fix). The decision needs every report, takes the
/// board's maximum, and raising and deciding are atomic to each other. So M >= every ceiling in force > every point
/// passed.
///
/// Nobody waits for ever. No message crosses a safe point, so what a rank needs to reach its next one comes from ranks
/// between the same two points. A rank stops only at M, where all others are still bound for; one that waits at its
/// ceiling waits for its agent, an agent for the leader alone, and the leader for no one. So every rank reaches a safe
/// point and joins, every agent reports, and the leader decides; it depends on no rank's speed. (Waiting at the ceiling
/// for the decision itself would not do: a rank that has passed that point before its bell rang may need the waiting
/// rank's next message in order to reach a safe point and join.)
///
/// Joining is kept beside the word, one mark a rank and one an agent, not as a count inside it: marking twice is
/// harmless, and agents contend for the word only where they really raise the maximum.
///
/// model/migration_point.pml says the same to spin: what changes here changes there.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "cppc/status.h"

namespace cppc::negotiation {

enum class Phase : std::uint8_t {
  idle,      ///< nothing runs
  open,      ///< ranks join; the maximum may rise
  fixed,     ///< pages only: the maximum is a ceiling
  asked,     ///< pages only: fixed, and a rank waits at the ceiling
  decided,   ///< the maximum is M
  cancelled  ///< given up; the maximum's place holds the reason
};

/// Why a negotiation was given up. `rank` is the one that it is about, or -1.
struct Reason {
  cppc_status status = CPPC_ERR_CANCELLED;
  int rank = -1;
  bool operator==(const Reason&) const = default;
};

/// Phase (3 bits), the low bits of the epoch (16), the maximum or reason (45).
class Word {
 public:
  static constexpr int value_bits = 45;
  static constexpr std::uint64_t value_limit = (std::uint64_t{1} << value_bits) - 1;

  constexpr Word() = default;
  constexpr explicit Word(std::uint64_t bits) : bits_(bits) {}
  /// `value` must not exceed value_limit.
  constexpr Word(Phase phase, std::uint16_t epoch, std::uint64_t value)
      : bits_(std::uint64_t{static_cast<std::uint8_t>(phase)} << 61 | std::uint64_t{epoch} << value_bits | value) {}

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr Phase phase() const { return static_cast<Phase>(bits_ >> 61); }
  [[nodiscard]] constexpr std::uint16_t epoch() const { return static_cast<std::uint16_t>(bits_ >> value_bits); }
  [[nodiscard]] constexpr std::uint64_t maximum() const { return bits_ & value_limit; }
  [[nodiscard]] constexpr Reason reason() const {
    return {static_cast<cppc_status>(maximum() >> 32), static_cast<int>(static_cast<std::uint32_t>(bits_)) - 1};
  }
  constexpr bool operator==(const Word&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

/// What can happen to a word. `value` is a safe point (raise, lift, decide) or a reason (cancel, see encode()).
struct Event {
  enum class Kind : std::uint8_t { open, raise, fix, ask, lift, decide, cancel, conclude };
  Kind kind;
  std::uint16_t epoch;
  std::uint64_t value = 0;
};

constexpr std::uint64_t encode(Reason reason) {
  return std::uint64_t{static_cast<std::uint16_t>(reason.status)} << 32 | static_cast<std::uint32_t>(reason.rank + 1);
}

/// The word after `event`, or nothing when the event is not allowed there: wrong phase, another epoch, a value that
/// does not fit (never wrapped) or would take back what was promised.
constexpr std::optional<Word> next(Word word, Event event) {
  using Kind = Event::Kind;
  const Phase phase = word.phase();
  const bool gathering = phase == Phase::open || phase == Phase::fixed || phase == Phase::asked;
  const auto when = [&](bool allowed, Phase then, std::uint64_t value) -> std::optional<Word> {
    if (!allowed || value > Word::value_limit) return std::nullopt;
    return Word(then, event.epoch, value);
  };
  if (event.kind == Kind::open) return when(!gathering, Phase::open, 0);
  if (event.epoch != word.epoch()) return std::nullopt;
  switch (event.kind) {
    case Kind::raise:
      return when(phase == Phase::open, Phase::open, std::max(word.maximum(), event.value));
    case Kind::fix:
      return when(phase == Phase::open, Phase::fixed, word.maximum());
    case Kind::ask:
      return when(phase == Phase::fixed, Phase::asked, word.maximum());
    case Kind::lift:
      return when(phase == Phase::asked && event.value > word.maximum(), Phase::fixed, event.value);
    case Kind::decide:
      return when(gathering && event.value >= word.maximum(), Phase::decided, event.value);
    case Kind::cancel:
      return when(gathering, Phase::cancelled, event.value);
    case Kind::conclude:
      return when(phase == Phase::decided, Phase::idle, 0);
    case Kind::open:
      break;
  }
  return std::nullopt;
}

/// What a rank does next at safe point `passed`, its page's word being `page`; `joined` in the present epoch.
struct RankMove {
  enum class Kind : std::uint8_t {
    go_on,   ///< pass the safe point
    stop,    ///< this is M
    join,    ///< mark itself joined, then go on
    swap,    ///< put `to` in place of `page`, then look again
    wait,    ///< until the page changes, then look again
    refuse,  ///< go on, outside the negotiation, which cannot succeed: `why`
  };
  Kind kind;
  Word to{};
  cppc_status why = CPPC_OK;
};

constexpr RankMove rank_move(Word page, bool joined, std::uint64_t passed) {
  using Kind = RankMove::Kind;
  const Phase phase = page.phase();
  if (phase == Phase::idle || phase == Phase::cancelled) return {Kind::go_on};
  if (phase == Phase::open) {
    const auto raised = next(page, {Event::Kind::raise, page.epoch(), std::min(passed, Word::value_limit) + 1});
    if (!raised) return {Kind::refuse, {}, CPPC_ERR_STATE};
    if (*raised != page) return {Kind::swap, *raised};
    return {joined ? Kind::go_on : Kind::join};
  }
  if (!joined) return {Kind::refuse, {}, CPPC_ERR_STATE};  // its agent did not count on it
  if (passed < page.maximum()) return {Kind::go_on};
  if (passed > page.maximum()) return {Kind::refuse, {}, CPPC_ERR_MISMATCH};  // it left the negotiation before
  if (phase == Phase::decided) return {Kind::stop};
  if (phase == Phase::asked) return {Kind::wait};
  return {Kind::swap, Word(Phase::asked, page.epoch(), page.maximum())};
}

/// What an agent knows. The board's word may have moved on since it was read; a swap that fails brings the present one.
struct AgentView {
  std::uint16_t epoch = 0;
  bool leader = false;
  Word page;
  Word board;
  bool all_joined = false;        ///< every rank of the node
  bool reported = false;          ///< this agent
  bool all_reported = false;      ///< every agent; leader only
  bool acknowledged = false;      ///< this agent has learnt the outcome, and said so
  bool all_acknowledged = false;  ///< every agent; leader only
  std::optional<Reason> give_up;  ///< why this agent wants to cancel
  std::uint64_t step = 1;         ///< safe points by which to lift, >= 1
};

/// By how many safe points to lift when the last lift, by `step`, was used up within `lasted`. Doubling, a fast program
/// asks only logarithmically often; but a lift should not last longer than it need, since M may be as far away.
constexpr std::uint64_t next_step(std::uint64_t step, std::chrono::nanoseconds lasted) {
  constexpr std::chrono::milliseconds long_enough(100);
  return lasted < long_enough ? step * 2 : std::max<std::uint64_t>(1, step / 2);
}

struct AgentMove {
  enum class Kind : std::uint8_t {
    swap_page,    ///< put `to` in place of view.page
    swap_board,   ///< put `to` in place of view.board
    report,       ///< mark on the board: this node's maximum is in
    acknowledge,  ///< mark on the board: this node has the outcome
    look,         ///< nothing to do: read page and board again, later
    done,
  };
  Kind kind;
  Word to{};
};

namespace detail {

constexpr AgentMove swap_page(const AgentView& view, Event::Kind kind, std::uint64_t value = 0) {
  const auto to = next(view.page, {kind, view.epoch, value});
  return to ? AgentMove{AgentMove::Kind::swap_page, *to} : AgentMove{AgentMove::Kind::look};
}

constexpr AgentMove swap_board(const AgentView& view, Event::Kind kind, std::uint64_t value = 0) {
  const auto to = next(view.board, {kind, view.epoch, value});
  return to ? AgentMove{AgentMove::Kind::swap_board, *to} : AgentMove{AgentMove::Kind::look};
}

/// The board has an outcome: first the page, then the acknowledgement. The leader stays until everybody has it, since
/// others can read the board only while the leader is in MPI.
constexpr AgentMove pass_on(const AgentView& view, Event::Kind outcome, std::uint64_t value) {
  using Kind = AgentMove::Kind;
  if (view.page.phase() != Phase::decided && view.page.phase() != Phase::cancelled) {
    return swap_page(view, outcome, value);
  }
  if (!view.acknowledged) return {Kind::acknowledge};
  return {view.leader && !view.all_acknowledged ? Kind::look : Kind::done};
}

constexpr AgentMove gather(const AgentView& view) {
  using Kind = AgentMove::Kind;
  const std::uint64_t ceiling = view.page.maximum();
  if (view.give_up) return swap_board(view, Event::Kind::cancel, encode(*view.give_up));
  if (view.page.phase() == Phase::open) {
    return view.all_joined ? swap_page(view, Event::Kind::fix) : AgentMove{Kind::look};
  }
  if (view.board.maximum() < ceiling) return swap_board(view, Event::Kind::raise, ceiling);
  if (!view.reported) return {Kind::report};
  if (view.leader && view.all_reported) return swap_board(view, Event::Kind::decide, view.board.maximum());
  if (view.page.phase() != Phase::asked) return {Kind::look};
  // M will not be below the board's maximum, even if that is an old reading: up to there no raise is needed.
  if (view.board.maximum() > ceiling) return swap_page(view, Event::Kind::lift, view.board.maximum());
  if (ceiling == Word::value_limit) return swap_board(view, Event::Kind::cancel, encode({CPPC_ERR_STATE, -1}));
  return swap_board(view, Event::Kind::raise, std::min(ceiling + view.step, Word::value_limit));
}

}  // namespace detail

constexpr AgentMove agent_move(const AgentView& view) {
  const auto newer = static_cast<std::int16_t>(view.board.epoch() - view.epoch);
  if (view.board.phase() == Phase::idle || newer < 0) {
    // The leader opens the board; an agent that gives up does not rely on the leader to come.
    const bool open = view.leader || view.give_up;
    return open ? detail::swap_board(view, Event::Kind::open) : AgentMove{AgentMove::Kind::look};
  }
  if (newer > 0) return detail::pass_on(view, Event::Kind::cancel, encode(Reason{}));  // all others have given up
  switch (view.board.phase()) {
    case Phase::decided:
      return detail::pass_on(view, Event::Kind::decide, view.board.maximum());
    case Phase::cancelled:
      return detail::pass_on(view, Event::Kind::cancel, view.board.maximum());
    default:
      return detail::gather(view);
  }
}

}  // namespace cppc::negotiation
