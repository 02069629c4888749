/// A model of a job that agrees on a cut: ranks that carry out a program (cut_program.hpp), and agents, taking the
/// moves of cppc/cut.hpp. One step is at most one access to what processes share, so that every interleaving of a real
/// run is one of the model's. cut_explorer_test.cpp visits all of them, for small programs; cut_simulation_test.cpp
/// takes random ones, for larger programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppc/cut.hpp"
#include "cut_program.hpp"

namespace cppc::negotiation::test {

/// Rounds without change that never pass.
constexpr unsigned never_withdraw = 1U << 30;

/// Known errors, to show that the tests find them.
enum class CutFlaw : std::uint8_t {
  none,
  hold_those_behind,  ///< ranks do not go on to their targets
  forget_waits,       ///< who is waited for is not let go on
  forget_freed,       ///< members that a communicator lacks are not missed
  decide_on_closing,  ///< the decision does not wait until ranks have stopped
  keep_turn,          ///< closing again, a stop of the time before counts
  hurry,              ///< ranks take part in what is withdrawn before all nodes know of it
  count_late,         ///< no error: counts become visible after the operation has been begun
};

struct CutRank {
  enum At : std::uint8_t {
    ready,     ///< before its next operation
    cleared,   ///< … which it may carry out
    inside,    ///< its operation, which waits for others
    undoing,   ///< … has come out, and takes it back, since it was withdrawn
    counting,  ///< count_late
    stopping,  ///< has decided to, and not said so yet
    stopped,
    taking_part,  ///< … in what others withdraw from
    done,         ///< at the cut
    finished,
  };
  At at = ready;
  At was = ready;  ///< before stopping
  std::size_t next = 0;
  bool finishing = false;
  cut::Word seen;
  std::vector<std::uint16_t> begun;  ///< by communicator, really
  std::vector<std::uint16_t> calls;  ///< likewise, those with dummy data and those withdrawn included
  std::vector<std::uint16_t> ended;  ///< likewise, those that the program has seen the end of
  // Shared with its agent.
  std::vector<cut::Membership> memberships;
  cut::Word mark;
  std::vector<std::uint64_t> announced;     ///< by communicator
  std::vector<std::uint64_t> acknowledged;  ///< likewise
  std::uint64_t take_part = 0;
  bool uninterruptible = false;
  int waits_for = cut::nobody;
  bool needed = false;
};

struct CutAgent {
  enum At : std::uint8_t { waiting, reading, reported, publishing, ringing, done };
  At at = waiting;
  std::size_t next = 0;  ///< rank to read
  bool give_up = false;
  std::vector<cut::Report> reports;  ///< of its ranks
  cut::Word word;                    ///< of its page
};

struct CutState {
  std::vector<CutRank> ranks;
  std::vector<CutAgent> agents;
  cut::Arbiter arbiter{1};
  bool locked = false;
};

/// Whether a rank may stop while it waits in it.
bool can_be_left(CutOp::Kind kind);

/// Whether agents have ranks look at the word.
bool rings(cut::Word word);

inline std::uint64_t id_of(int comm) { return static_cast<std::uint64_t>(comm) + 1; }

class CutModel {
 public:
  CutModel(CutProgram program, std::vector<int> node_of_rank, int nodes, CutFlaw flaw = CutFlaw::none);

  [[nodiscard]] CutState initial(unsigned stable_rounds, unsigned withdrawal_rounds,
                                 unsigned most_withdrawal_rounds) const;
  [[nodiscard]] int actors() const { return program_.ranks + nodes_; }

  /// Lets `actor` (ranks, then agents) take its next step. False when it has none now; then nothing has changed.
  bool step(CutState& state, int actor) const;

  /// What has gone wrong in the last step, if anything.
  [[nodiscard]] const std::optional<std::string>& violation() const { return violation_; }

  /// After a decision that all know, or a cancellation: ranks go on, agents wait to start again.
  static void release(CutState& state, std::uint16_t epoch, unsigned stable_rounds, unsigned withdrawal_rounds);

  [[nodiscard]] bool all_at_cut(const CutState& state) const;
  [[nodiscard]] bool all_finished(const CutState& state) const;
  [[nodiscard]] bool agents_done(const CutState& state) const;

  /// The state as bytes; equal ones have the same future.
  [[nodiscard]] std::string key(const CutState& state) const;

 private:
  [[nodiscard]] const CutOp& op(const CutRank& rank, std::size_t who) const { return program_.lists[who][rank.next]; }
  [[nodiscard]] bool complete(const CutState& state, std::size_t who) const;
  [[nodiscard]] bool behind(const CutRank& rank) const;
  bool step_rank(CutState& state, std::size_t who) const;
  bool look(CutState& state, std::size_t who) const;
  bool look_inside(CutState& state, std::size_t who) const;
  bool start(CutState& state, std::size_t who) const;
  void count(CutRank& rank, const CutOp& what) const;
  void leave(CutState& state, std::size_t who) const;
  [[nodiscard]] int to_take_part_in(const CutRank& rank) const;
  bool all_have_called(const CutState& state, std::size_t who, int comm) const;
  bool step_outside(CutState& state, std::size_t who) const;
  void come_out(CutState& state, std::size_t who) const;
  bool step_agent(CutState& state, std::size_t who) const;
  void publish(CutState& state, std::size_t who) const;
  [[nodiscard]] cut::Withdrawal within(const CutRank& rank, std::size_t who) const;
  void read_rank(const CutState& state, CutAgent& agent) const;
  void evaluate(CutState& state) const;
  void check_cut(const CutState& state) const;

  CutProgram program_;
  std::vector<int> node_of_rank_;
  int nodes_;
  CutFlaw flaw_;
  mutable std::optional<std::string> violation_;
};

}  // namespace cppc::negotiation::test
