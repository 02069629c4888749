/// The agreement on a migration point, as pure functions on 64-bit words: no I/O, no atomics, no clock.
///
/// Every rank passes the same sequence of safe points and counts its own. Sought is a point M that nobody has passed
/// and everybody stops at. A node's agent shares a word with its ranks, in a page; whoever changes it applies next() by
/// compare-and-swap. Agents form a tree (agent_tree.hpp): each sends one word at a time up to its parent, for its
/// whole subtree, and down to its children the word that its parent has sent.
///
///   rank       sees the doorbell at safe point s: raises its page's maximum to s+1 before it passes s, marks itself
///              joined, and works on; raises again before every further point while the page is *open*.
///   agent      all ranks of its subtree have joined: sends *open* up.
///   root       all ranks have joined: sends *fixed* down.
///   agent      receives that: passes it on and *fixes* its page; the maximum is now a bound, at which ranks wait. When
///   all
///              pages of its subtree are fixed: sends *fixed* up, with the highest bound of its subtree.
///   root       sends *decided* down: M is the highest bound.
///   agent      passes it on and copies it to its page; each rank stops on reaching M. When all of its subtree know:
///              sends *settled* up.
///
/// An agent that cancels sends *cancelled* up at any time; so does its parent then. The root sends *cancelled*
/// down, unless it has decided. So an agent sends and receives a few words for each neighbour, whatever the job's size
/// and however long it takes, and the agreement takes as long as a word takes to go through the tree five times.
///
/// Nobody passes M. A rank passes s only while its page's maximum is above s: it is the one who raised it (open), or
/// the bound allows it (fixed). Fixing keeps the maximum, and M is at least every bound: the root sends it when
/// all agents have sent theirs.
///
/// Nobody waits for ever. No message crosses a safe point, so what a rank needs to reach its next one comes from ranks
/// between the same two points. While the page is open no rank waits, so all reach a safe point and join. Then pages
/// are fixed: a rank at its bound waits for agents alone, and these wait for no rank any more. (Fixing a page when
/// its own ranks have joined would not do: a rank elsewhere that has passed that point before its doorbell rang may
/// need the waiting rank's next message in order to reach a safe point and join.)
///
/// Joining is kept beside the word, one mark a rank, not as a count inside it: marking twice is harmless.
///
/// model/migration_point.pml says the same to spin: what changes here changes there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "cppc/status.h"

namespace cppc::negotiation {

enum class Phase : std::uint8_t {
  idle,       ///< nothing runs
  open,       ///< ranks join; the maximum may rise. Sent up: all of the subtree have joined
  fixed,      ///< the maximum is a bound
  decided,    ///< the maximum is M
  cancelled,  ///< given up; the maximum's place holds the reason
  settled     ///< between agents only: all of the subtree know the outcome
};

/// Why a negotiation was given up. `rank` is the one that it is about, or -1.
struct Reason {
  cppc_status status = CPPC_ERR_CANCELLED;
  int rank = -1;
  std::uint8_t inside = 0;  ///< what the rank is inside of and cannot leave, as it reported; 0: nothing
  static constexpr std::uint8_t most_inside = 15;
  static constexpr std::uint8_t outside_collective = most_inside;  ///< which others have begun, and it has not
  bool operator==(const Reason&) const = default;
};

/// In 45 bits: what it is inside of (4), the status (9), the rank (32).
static_assert(CPPC_ERR_PEER <= 0x1ff, "the last status needs more bits");
constexpr std::uint64_t encode(Reason reason) {
  return std::uint64_t{reason.inside} << 41 | (std::uint64_t{static_cast<std::uint16_t>(reason.status)} & 0x1ff) << 32 |
         static_cast<std::uint32_t>(reason.rank + 1);
}
constexpr Reason decode(std::uint64_t reason) {
  return {static_cast<cppc_status>(reason >> 32 & 0x1ff), static_cast<int>(static_cast<std::uint32_t>(reason)) - 1,
          static_cast<std::uint8_t>(reason >> 41 & Reason::most_inside)};
}

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
  [[nodiscard]] constexpr Reason reason() const { return decode(maximum()); }
  constexpr bool operator==(const Word&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

/// What can happen to a page's word. `value` is a safe point (raise, decide) or a reason (cancel, see encode()).
struct Event {
  enum class Kind : std::uint8_t { open, raise, fix, decide, cancel, conclude };
  Kind kind;
  std::uint16_t epoch;
  std::uint64_t value = 0;
};

/// The word after `event`, or nothing when the event is not allowed there: wrong phase, another epoch, a value that
/// does not fit (never wrapped) or would take back what was promised.
constexpr std::optional<Word> next(Word word, Event event) {
  using Kind = Event::Kind;
  const Phase phase = word.phase();
  const bool gathering = phase == Phase::open || phase == Phase::fixed;
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
    case Kind::decide:
      return when(phase == Phase::fixed && event.value >= word.maximum(), Phase::decided, event.value);
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
  return {phase == Phase::decided ? Kind::stop : Kind::wait};
}

constexpr bool is_outcome(Word word) { return word.phase() == Phase::decided || word.phase() == Phase::cancelled; }

/// What an agent's children have said last, taken together.
struct Below {
  bool joined = true;             ///< all ranks of their subtrees
  bool fixed = true;              ///< all pages
  bool settled = true;            ///< all agents know the outcome
  std::uint64_t maximum = 0;      ///< highest bound; all fixed only
  std::optional<Reason> give_up;  ///< of the first who wants that

  /// `sent_up`: by one of them, an idle word if nothing yet.
  constexpr void add(Word sent_up) {
    const Phase phase = sent_up.phase();
    settled &= phase == Phase::settled;
    fixed &= phase == Phase::settled || phase == Phase::fixed;
    joined &= phase == Phase::settled || phase == Phase::fixed || phase == Phase::open;
    if (phase == Phase::fixed) maximum = std::max(maximum, sent_up.maximum());
    if (phase == Phase::cancelled && !give_up) give_up = sent_up.reason();
  }
};

/// What an agent knows. All words are of the present epoch, or idle.
struct AgentView {
  std::uint16_t epoch = 0;
  Word page;
  bool all_joined = false;        ///< every rank of the node
  std::optional<Reason> give_up;  ///< why this agent wants to cancel
  Below below;
  Word above;      ///< received from its parent; of the root itself, see answer()
  Word sent_up;    ///< to its parent, last
  Word sent_down;  ///< to its children, last
};

struct AgentMove {
  enum class Kind : std::uint8_t {
    swap_page,  ///< put `to` in place of view.page
    send_up,    ///< `to` to the parent; the root: to itself
    send_down,  ///< `to` to all children
    look,       ///< nothing to do: read the page again, and receive from the neighbours, later
    done,
  };
  Kind kind;
  Word to{};
};

/// What the root takes as received from above when it has sent `sent_up`; `above` before.
constexpr Word answer(Word sent_up, Word above) {
  switch (sent_up.phase()) {
    case Phase::open:
      return {Phase::fixed, sent_up.epoch(), 0};
    case Phase::fixed:
      return {Phase::decided, sent_up.epoch(), sent_up.maximum()};
    case Phase::cancelled:
      return sent_up;
    default:
      return above;
  }
}

namespace detail {

constexpr AgentMove swap_page(const AgentView& view, Event::Kind kind, std::uint64_t value = 0) {
  const auto to = next(view.page, {kind, view.epoch, value});
  return to ? AgentMove{AgentMove::Kind::swap_page, *to} : AgentMove{AgentMove::Kind::look};
}

constexpr AgentMove send_up(const AgentView& view, Phase phase, std::uint64_t value = 0) {
  return {AgentMove::Kind::send_up, Word(phase, view.epoch, value)};
}

/// The outcome is known: the page has it first. An agent stays until all of its subtree have it.
constexpr AgentMove pass_on(const AgentView& view) {
  if (!is_outcome(view.page)) {
    const bool decided = view.above.phase() == Phase::decided;
    return swap_page(view, decided ? Event::Kind::decide : Event::Kind::cancel, view.above.maximum());
  }
  if (view.sent_down != view.above) return {AgentMove::Kind::send_down, view.above};
  if (!view.below.settled) return {AgentMove::Kind::look};
  if (view.sent_up.phase() != Phase::settled) return send_up(view, Phase::settled);
  return {AgentMove::Kind::done};
}

/// All ranks have joined.
constexpr AgentMove fix(const AgentView& view) {
  if (view.sent_down != view.above) return {AgentMove::Kind::send_down, view.above};
  if (view.page.phase() == Phase::open) return swap_page(view, Event::Kind::fix);
  if (!view.below.fixed || view.sent_up.phase() == Phase::fixed) return {AgentMove::Kind::look};
  return send_up(view, Phase::fixed, std::max(view.page.maximum(), view.below.maximum));
}

}  // namespace detail

constexpr AgentMove agent_move(const AgentView& view) {
  if (is_outcome(view.above)) return detail::pass_on(view);
  if (view.sent_up.phase() == Phase::cancelled) return {AgentMove::Kind::look};
  if (view.give_up) return detail::send_up(view, Phase::cancelled, encode(*view.give_up));
  if (view.below.give_up) return detail::send_up(view, Phase::cancelled, encode(*view.below.give_up));
  if (view.above.phase() == Phase::fixed) return detail::fix(view);
  if (!view.all_joined || !view.below.joined || view.sent_up.phase() == Phase::open) return {AgentMove::Kind::look};
  return detail::send_up(view, Phase::open);
}

}  // namespace cppc::negotiation
