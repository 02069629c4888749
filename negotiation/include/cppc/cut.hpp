/// The agreement on a consistent cut at any call of MPI, as values and pure functions: no I/O, no atomics, no clock.
///
/// Every rank counts the collective operations that it has begun, for each communicator, window and file apart:
/// blocking ones, non-blocking ones, and calls that are collective by definition, such as those that make or free one
/// of these. A cut is consistent when all members of each communicator have begun the same number and nobody is inside
/// a call that it cannot leave. What then is in flight, messages and operations that all have begun, can be drained.
///
///   rank       keeps its counts where its agent sees them (no call costs more than the increment), and looks at the
///              doorbell. While it rings and agents *gather*, only one thing is held up: the beginning of a collective
///              operation, by a rank that is at the target in all its communicators. One that is behind in any goes on,
///              and so may raise the count of others. While agents *close*, a rank that is not behind stops where it
///              is: at any call, at a marked safe point, inside a call that waits for messages, or where it computes,
///              when its agent has it look.
///   agents     meet in rounds. Each reports the counts of its ranks; from the sum of all reports the first computes
///              the verdict (Arbiter), which all write to their pages: the targets, which are the highest counts, and
///              the phase.
///   gathering  turns into closing when all communicators are level: all members have the same count.
///   closing    turns into the decision when all ranks have stopped and all communicators are level. When some
///              communicator is not level any more, or ranks are in calls that cannot be interrupted, it turns back.
///   withdrawing  likewise turns into the decision; see below.
///
/// The cut is right. A rank that has stopped in a turn of closing moves again only when its page's word changes, and
/// its agent changes that only with a verdict. The decision comes from reports of which each was made while all ranks
/// of its node stood still in the present turn, so that they show one and the same state: all stopped, all level.
/// Nothing else is needed for it, neither the order in which counts and the doorbell become visible nor that a round's
/// reports are made at the same time. What is missed leads to another round.
///
/// It comes about. Let X be begun by some members and not by others. Those are behind, and nothing holds them up but
/// what they wait for: another collective operation Y, whose other members are behind in Y then; or a message, from a
/// rank that may be held. Therefore a rank that waits says for whom, and agents let go on whoever is *needed*: for whom
/// a rank waits that is behind, or needed itself. So the ranks that are behind or needed wait for no others, and come
/// to X as they would without us, if the program does not hang by itself. All that is raised so (Y, and what the needed
/// ones pass) comes before X in every run of the program; it is finite, and the lowest cut that contains all that was
/// begun is ahead of every state (Xu and Cooperman's topological sort). Where it cannot be known for whom somebody
/// waits (any source, memory of windows), everybody counts as needed, but only after some rounds without change, more
/// each time: programs that do not need it are not driven on.
///
/// Ranks in calls that cannot be interrupted, those of one-sided communication, come out in moments or
/// wait for others: for a lock that one of them holds. So closing begins when no rank is in such a call; or after some
/// rounds, since programs may hardly do anything else, and then has as many rounds to succeed.
///
/// A level state lasts: a rank begins something only while it is behind or needed, and targets are never above what was
/// once begun. So closing follows, everybody stops at the next call, and no rank waits for another one's computing but
/// for one that is behind in what it has begun itself.
///
/// A rank that is behind may compute for minutes before it comes to X, while the others wait inside X. When nothing has
/// changed for some rounds, *withdrawing* takes the place of gathering: every rank stops where it is, whether or not it
/// is behind. X can be withdrawn when all members that have begun it are inside, in a blocking operation that nobody
/// leaves before all have begun it (Operation), and all others have stopped before it. The arbiter first *announces*
/// the withdrawal, so that the agents of those inside note it where these look when they come out; with the next
/// verdict those outside *take part* with dummy data. The ones inside come out, see that the operation has not taken
/// place, take it back from their counts, and stop before it, to begin it again when they go on. Between the
/// announcement and the next verdict nothing can change: who has stopped stays, and who is inside cannot leave. The
/// withdrawal is over when all members have *acknowledged* it: taken part, or come out. Until then the agreement is not
/// given up; and a rank that is to take part and loses its agent cannot know what the others do: it has to end the job.
/// Where nothing can be withdrawn, gathering goes on, for twice as many rounds.
///
/// Making a communicator is counted on its parent; freeing it on itself, where it is the last operation. Who has freed
/// one does not list it any more. When members are missing and all else is level, the others are behind: they have to
/// free it, too.
///
/// model/cut.pml says the same to spin: what changes here changes there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cppc/migration_point.hpp"

namespace cppc::negotiation::cut {

enum class Phase : std::uint8_t {
  idle,         ///< nothing runs
  gathering,    ///< ranks at their targets begin no collective operation
  closing,      ///< … and stop
  withdrawing,  ///< all stop, wherever they are
  decided,      ///< all have stopped, at a consistent cut
  cancelled     ///< given up; the turn's place holds the reason
};

/// What a page says to its ranks: phase (3 bits), the low bits of the epoch (16), the turn or reason (45). The turn
/// rises with each change between gathering, closing and withdrawing.
class Word {
 public:
  constexpr Word() = default;
  constexpr explicit Word(std::uint64_t bits) : bits_(bits) {}
  constexpr Word(Phase phase, std::uint16_t epoch, std::uint64_t value)
      : bits_(std::uint64_t{static_cast<std::uint8_t>(phase)} << 61 | std::uint64_t{epoch} << value_bits |
              (value & value_limit)) {}

  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr Phase phase() const { return static_cast<Phase>(bits_ >> 61); }
  [[nodiscard]] constexpr std::uint16_t epoch() const { return static_cast<std::uint16_t>(bits_ >> value_bits); }
  [[nodiscard]] constexpr std::uint64_t turn() const { return bits_ & value_limit; }
  /// Why; cancelled only.
  [[nodiscard]] constexpr Reason reason() const { return decode(turn()); }
  constexpr bool operator==(const Word&) const = default;

 private:
  static constexpr int value_bits = 45;
  static constexpr std::uint64_t value_limit = (std::uint64_t{1} << value_bits) - 1;
  std::uint64_t bits_ = 0;
};

/// A rank in a communicator of two members or more. Windows and files count as communicators of their own.
struct Membership {
  std::uint64_t id = 0;      ///< the same in all members, and no other communicator's
  std::uint64_t begun = 0;   ///< collective operations
  std::uint64_t target = 0;  ///< as last published; 0 before
  std::uint32_t size = 0;    ///< members
};

/// What a collective operation has been begun with, as far as another member has to know it to take part with dummy
/// data. Values of the runtime's, the same in all members; `what` is 0 when the operation cannot be withdrawn.
struct Operation {
  std::uint64_t what = 0;
  std::uint64_t count = 0;
  bool operator==(const Operation&) const = default;
};

/// The operation of communicator `id` whose beginning made the members' count `number`.
struct Withdrawal {
  std::uint64_t id = 0;
  std::uint64_t number = 0;
  Operation operation;
  bool operator==(const Withdrawal&) const = default;
};

/// For whom a rank waits.
constexpr int nobody = -1;
constexpr int anybody = -2;  ///< it cannot be known

/// What an agent reads of a rank.
struct RankView {
  int rank = 0;
  bool stopped = false;  ///< in the present turn
  bool inside = false;   ///< a call that it cannot leave, other than a collective operation
  int waits_for = nobody;
  Withdrawal within;                 ///< the operation that it is inside of, if that can be withdrawn
  std::uint32_t unacknowledged = 0;  ///< withdrawals that it has not acknowledged. Looked at before the memberships
  std::span<const Membership> memberships;
};

constexpr bool behind(std::span<const Membership> memberships) {
  for (const Membership& one : memberships) {
    if (one.begun < one.target) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------- a rank

/// Where a rank is when it looks at its page.
enum class Place : std::uint8_t {
  collective,  ///< before the beginning of a collective operation
  elsewhere,   ///< at any other call, inside a call that waits for messages, at a marked safe point or between calls
};

enum class RankMove : std::uint8_t {
  go_on,
  hold,  ///< wait until the page changes, then look again
  stop,  ///< report that it has stopped in this turn, then likewise
  done,  ///< the cut is here
};

/// `needed` is the page's flag; `stopped`: it has stopped in the turn that the word names.
constexpr RankMove rank_move(Word word, bool is_behind, bool needed, bool stopped, Place place) {
  switch (word.phase()) {
    case Phase::gathering:
      return place == Place::collective && !is_behind && !needed ? RankMove::hold : RankMove::go_on;
    case Phase::closing:
      return is_behind ? RankMove::go_on : RankMove::stop;
    case Phase::withdrawing:
      return RankMove::stop;
    case Phase::decided:
      return stopped ? RankMove::done : RankMove::go_on;
    default:
      return RankMove::go_on;
  }
}

// ---------------------------------------------------------------------------------------------------------- agents

/// A communicator, as some of its members have it.
struct Standing {
  std::uint64_t id = 0;
  std::uint64_t most = 0;     ///< operations begun by those who have begun most
  std::uint32_t size = 0;     ///< members
  std::uint32_t holders = 0;  ///< those looked at that list it
  std::uint32_t at_most = 0;  ///< … and have begun most
  bool operator==(const Standing&) const = default;
  [[nodiscard]] bool even() const { return at_most == holders; }
  [[nodiscard]] bool whole() const { return holders == size; }
};

/// A rank that waits for another one's message.
struct Wait {
  int rank = 0;
  int whom = anybody;
  bool presses = false;  ///< it is behind, or inside a call that it cannot leave
};

/// An operation that some are inside of, and those who have stopped before it.
struct Withdrawable {
  Withdrawal withdrawal;
  bool alike = true;          ///< all inside have begun it with the same
  std::uint32_t inside = 0;   ///< members
  std::uint32_t outside = 0;  ///< members that have stopped before it
};

/// What an agent reports in a round.
struct Report {
  std::vector<Standing> standings;          ///< by id, each once
  std::vector<Withdrawable> withdrawables;  ///< by id and number, each once; while withdrawing
  std::vector<Wait> waits;
  std::uint32_t moving = 0;           ///< ranks that have not stopped in the present turn
  std::uint32_t uninterruptible = 0;  ///< those of them that are inside a call that they cannot leave
  std::uint32_t unacknowledged = 0;   ///< withdrawals, of all ranks together
  std::optional<Reason> give_up;      ///< why this agent wants to cancel
};

/// `phase`: what the page has said to these ranks when they were looked at.
Report report(std::span<const RankView> ranks, Phase phase);

/// `sum` becomes what is said by its ranks and by those of `more`. Of two reasons to give up, the first is kept.
void add(Report& sum, const Report& more);

/// What comes of a round.
struct Verdict {
  Word word;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> targets;  ///< by id
  std::vector<int> needed;                                       ///< ranks, in rising order
  bool all_needed = false;
  std::vector<Withdrawal> withdrawals;  ///< announced, by id
  std::uint64_t announcement = 0;       ///< number of the latest announcement in this agreement, from 1
  bool take_part = false;               ///< those outside are to take part

  [[nodiscard]] std::uint64_t target(std::uint64_t id) const;  ///< 0 for an unknown one
  [[nodiscard]] bool needs(int rank) const;
};

/// Computes the verdicts of one agreement. Arbiters with the same reports come to the same verdicts.
class Arbiter {
 public:
  /// `stable_rounds`: rounds without change after which everybody is needed for whom it cannot be known; then twice as
  /// many. `withdrawal_rounds`: likewise, after which operations are withdrawn, up to `most_withdrawal_rounds`; and
  /// after which that is given up.
  explicit Arbiter(std::uint16_t epoch, unsigned stable_rounds = default_stable_rounds,
                   unsigned withdrawal_rounds = default_withdrawal_rounds,
                   unsigned most_withdrawal_rounds = 64 * default_withdrawal_rounds);

  /// `reports` are those of all agents, or their sum. Not after the phase has become decided or
  /// cancelled.
  const Verdict& evaluate(std::span<const Report> reports);

  /// The last verdict; before the first: gathering, no targets.
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

  /// What it remembers from round to round, beside the verdict.
  struct Memory {
    std::vector<Standing> standings;
    unsigned unchanged = 0;                                          ///< rounds
    unsigned stable_rounds = 0;                                      ///< rounds to wait for
    unsigned withdrawal_rounds = 0;                                  ///< likewise
    bool waited_long = false;                                        ///< they have passed, since the last change
    bool despite_uninterruptible = false;                            ///< closing began while ranks were in such calls
    std::vector<std::pair<std::uint64_t, std::uint64_t>> withdrawn;  ///< by id and number, in this turn
  };
  [[nodiscard]] const Memory& memory() const { return memory_; }

 private:
  static constexpr unsigned default_stable_rounds = 16;
  static constexpr unsigned default_withdrawal_rounds = 64;
  void note_change(std::vector<Standing> standings);
  void set_targets();
  void set_needed(std::span<const Wait> waits);
  void set_phase(std::uint32_t moving, std::uint32_t uninterruptible);
  void turn(Phase phase);
  void withdraw(std::span<const Withdrawable> found, bool all_acknowledged);
  [[nodiscard]] bool can_be_withdrawn(const Withdrawable& one) const;
  [[nodiscard]] bool even() const;
  [[nodiscard]] bool whole() const;

  [[nodiscard]] bool is_stable() const { return memory_.unchanged >= memory_.stable_rounds; }
  void double_stable_rounds();
  void double_withdrawal_rounds();

  Verdict verdict_;
  Memory memory_;
  unsigned first_withdrawal_rounds_;
  unsigned most_withdrawal_rounds_;
};

}  // namespace cppc::negotiation::cut
