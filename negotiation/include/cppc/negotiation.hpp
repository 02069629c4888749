/// Agreement of all ranks on one migration point: an agent's part, and everything else of this folder.
///
///   migration_point.hpp  the protocol as pure functions, and why it is right
///   page.hpp             what an agent shares with its ranks; a rank's part
///   tree.hpp             how agents tell each other
///
/// and of the agreement on a cut at any call, for programs whose ranks do not pass the same safe points:
///
///   cut.hpp              the rules, and why they are right
///   cut_rank.hpp         a rank's part, in the same page
///   cut_agent.hpp        an agent's part, and the agents' rounds, by the same tree
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/migration_point.hpp"
#include "cppc/page.hpp"
#include "cppc/status.h"
#include "cppc/time_budget.hpp"
#include "cppc/tree.hpp"

namespace cppc::negotiation {

/// Drives negotiations for one node, one at a time. One thread at a time; page and tree must outlive it.
///
/// All agents of the tree take part in every negotiation, those without ranks too: each calls start() with the same
/// epoch (an agent that wants to refuse starts and cancels), then poll() until it says decided or cancelled.
/// Errors: those of the tree, and CPPC_ERR_MISMATCH, logged, when a neighbour is in another one: ranks of this node
/// that waited go on; a decision that is known already stays in force.
class AgentSide {
 public:
  enum class State {
    idle,        ///< nothing started, or concluded
    collecting,  ///< ranks of this node have yet to join
    reported,    ///< all have; other nodes are awaited
    settling,    ///< outcome known and in force here, but some agent below has yet to learn it
    decided,     ///< ranks stop at migration_point()
    cancelled,   ///< ranks go on; see reason()
  };

  AgentSide(Page& page, Tree& tree);

  /// Opens the negotiation on this node and rings its doorbell. `ranks` are those of the node; over all agents, every
  /// rank of the application exactly once. `epoch` > 0 is the same everywhere, above any used before, by less than
  /// 32768. After `timeout` the negotiation is cancelled (CPPC_ERR_TIMEOUT, naming a rank that has not joined). Every
  /// agent must have left the previous one (its ranks released). CPPC_ERR_ARGUMENT, CPPC_ERR_STATE.
  tl::expected<void, cppc_status> start(std::uint64_t epoch, TimeBudget::Clock::duration timeout,
                                        std::vector<int> ranks);

  /// Takes all steps that can be taken now; never waits. Call it in a loop with short sleeps (less than a millisecond):
  /// ranks at their bounds wait for all agents. Cancels by itself: when the timeout has passed, when a rank of the node
  /// is in MPI_Finalize (CPPC_ERR_REFUSED) or cannot take part (its own status).
  tl::expected<State, cppc_status> poll();

  /// Wants the negotiation given up for `why`; go on polling until it is. False when its outcome is known already; the
  /// decision may also win while this is under way. Then the migration can only be abandoned after the freeze.
  bool cancel(Reason why);

  /// After decided, before any rank is released from the migration point: puts page and doorbell back. CPPC_ERR_STATE
  /// unless decided.
  tl::expected<void, cppc_status> conclude();

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// M; decided only (and settling, if so).
  [[nodiscard]] std::uint64_t migration_point() const;
  /// Cancelled only (and settling, if so). The same on every agent.
  [[nodiscard]] Reason reason() const;
  /// A rank of this node that others wait for now, if there is one.
  [[nodiscard]] std::optional<Reason> late() const;
  /// Ranks of this node that have yet to join.
  [[nodiscard]] std::vector<int> missing() const;
  /// Ranks of this node that have yet to stop at the migration point; decided only.
  [[nodiscard]] std::vector<int> on_the_way() const;

 private:
  using Clock = TimeBudget::Clock;
  void observe();
  [[nodiscard]] std::optional<Reason> grounds_to_give_up();
  tl::expected<void, cppc_status> receive();
  tl::expected<std::optional<Word>, cppc_status> next_word(int from);
  tl::expected<void, cppc_status> apply(const AgentMove& move);
  void swap_page(Word to);
  void let_go(cppc_status why);
  void update_state(bool done);

  Page* page_;
  Tree* tree_;
  State state_ = State::idle;
  std::uint64_t epoch_;
  TimeBudget budget_{{}};
  std::vector<int> ranks_;
  AgentView view_;
  std::vector<Word> last_words_;  ///< each child, last
};

}  // namespace cppc::negotiation
