/// An agent's part in the agreement on a cut (cut.hpp): rounds of reports among all agents, and what comes of them in
/// the page of the node.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/cut.hpp"
#include "cppc/page.hpp"
#include "cppc/time_budget.hpp"
#include "cppc/tree.hpp"

namespace cppc::negotiation {

/// How agents tell each other. All take part in every round.
class Rounds {
 public:
  using Evaluation = std::function<cut::Verdict(const cut::Report&)>;
  virtual ~Rounds() = default;
  /// Begins a round with what this agent says. Not before the last one has ended.
  virtual tl::expected<void, cppc_status> begin(cut::Report mine) = 0;
  /// What comes of the round, once all have said something: the same for all. `evaluate` is called in some agents, with
  /// what all have said, taken together (cut::add()). Never waits.
  virtual tl::expected<std::optional<cut::Verdict>, cppc_status> poll(const Evaluation& evaluate) = 0;
};

/// Reports go up the tree and are added on their way, the root judges, and the verdict comes down: in a round an agent
/// receives one message from each neighbour. Errors: those of the tree, and CPPC_ERR_MISMATCH, logged. The tree must
/// outlive it.
class TreeRounds final : public Rounds {
 public:
  explicit TreeRounds(Tree& tree) : tree_(&tree) {}
  tl::expected<void, cppc_status> begin(cut::Report mine) override;
  tl::expected<std::optional<cut::Verdict>, cppc_status> poll(const Evaluation& evaluate) override;

 private:
  tl::expected<bool, cppc_status> gather();
  tl::expected<std::optional<cut::Verdict>, cppc_status> receive_verdict();
  Tree* tree_;
  bool runs_ = false;
  bool report_sent_ = false;  ///< to the parent
  std::vector<int> awaited_;  ///< children
  cut::Report sum_;
};

/// One agreement at a time; one thread at a time; page and rounds must outlive it. All agents take part in each: each
/// calls start() with the same epoch, then poll() until it says decided or cancelled.
class CutAgent {
 public:
  enum class State {
    idle,       ///< nothing started, or concluded
    gathering,  ///< ranks go on to where all have begun the same
    closing,    ///< they stop, some maybe inside operations that others have not begun, which are withdrawn then
    decided,    ///< all have stopped; they know, or will at once
    cancelled,  ///< ranks go on; see reason()
  };

  CutAgent(Page& page, Rounds& rounds) : page_(&page), rounds_(&rounds) {}

  /// Rings the doorbell for `ranks`, those of the node; over all agents, every rank of the application exactly once.
  /// `epoch` is the same everywhere, and above any used before: a stop in an earlier agreement must not count. After
  /// `timeout` the agreement is cancelled (CPPC_ERR_TIMEOUT, naming a rank that is behind, or has not stopped).
  /// CPPC_ERR_ARGUMENT, CPPC_ERR_STATE.
  tl::expected<void, cppc_status> start(std::uint64_t epoch, TimeBudget::Clock::duration timeout,
                                        std::vector<int> ranks);

  /// Takes the steps that can be taken now; never waits. Call it in a loop with short sleeps: held ranks wait for it.
  /// Cancels by itself: when the timeout has passed, when a rank of the node is in MPI_Finalize (CPPC_ERR_REFUSED) or
  /// has too many communicators (CPPC_ERR_UNSUPPORTED). CPPC_ERR_MPI, CPPC_ERR_MISMATCH: the agents have lost each
  /// other; ranks of this node go on, unless it is decided.
  tl::expected<State, cppc_status> poll();

  /// Wants the agreement given up; go on polling until it is. The decision may come before. A reason without a rank is
  /// a timeout: it gets one that others wait for, if there is one.
  void cancel(Reason why);

  /// After decided, before any rank is released: puts page and doorbell back. CPPC_ERR_STATE unless decided.
  tl::expected<void, cppc_status> conclude();

  [[nodiscard]] State state() const;
  /// Cancelled only. The same on every agent.
  [[nodiscard]] Reason reason() const;
  /// Ranks of this node that have not stopped.
  [[nodiscard]] std::vector<int> moving() const;
  /// Whether the last verdict has announced withdrawals that nobody takes part in yet.
  [[nodiscard]] bool announces() const { return announces_; }
  /// A rank of this node that others wait for now, if there is one, and what keeps it.
  [[nodiscard]] std::optional<Reason> late() const;

 private:
  [[nodiscard]] cut::RankView view(int rank, std::vector<cut::Membership>& memberships) const;
  [[nodiscard]] cut::Report report();
  [[nodiscard]] std::optional<Reason> grounds_to_give_up();
  void publish(const cut::Verdict& verdict);
  void announce(const cut::Verdict& verdict, detail::CutTable& table) const;
  void set_word(cut::Word word);

  Page* page_;
  Rounds* rounds_;
  cut::Arbiter arbiter_{0};
  cut::Word word_;
  TimeBudget budget_{{}};
  cppc_status status_when_spent_ = CPPC_ERR_TIMEOUT;
  std::vector<int> ranks_;
  std::optional<Reason> give_up_;
  bool in_round_ = false;
  bool announces_ = false;
};

/// For messages, and back; nothing when the words say nothing.
Tree::Words encode(const cut::Report& report);
Tree::Words encode(const cut::Verdict& verdict);
std::optional<cut::Report> decode_report(std::span<const std::uint64_t> words);
std::optional<cut::Verdict> decode_verdict(std::span<const std::uint64_t> words);

}  // namespace cppc::negotiation
