/// One migration or checkpoint, as the agents carry it out together. Every agent that has not retired runs the same
/// steps; after each they agree whether it went well. Whatever fails before the commit is undone, and so is what the
/// controller has given up, since an agent has been lost.
#pragma once

#include <mpi.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent_comm.hpp"
#include "cppc/cut_agent.hpp"
#include "cppc/negotiation.hpp"
#include "cppc/wire.hpp"
#include "interrupter.hpp"
#include "node.hpp"
#include "recipe.hpp"

namespace cppc::migration {

using negotiation::TimeBudget;

class Operation {
 public:
  /// node.agents take part.
  Operation(Node& node, const wire::Order& order);

  /// Collective over the agents. What it has saved is told before the end. The outcome is the same in all of them; only
  /// CPPC_ERR_MPI means that the job cannot go on. A committed operation has replaced node.comms, which is empty in an
  /// agent that has retired. None: the migration has been undone here, and the controller knows why.
  std::optional<wire::Outcome> run();

 private:
  /// A rank that moves from or to this node.
  struct RankTransfer {
    int index = 0;  ///< in the order's moves
    int rank = 0;
    int other = 0;               ///< agent on the other side
    bool outcome_known = false;  ///< replacement's: how sending ended; source's: that receiving has failed
    bool failure_sent = false;   ///< replacement's: the other side knows that it has failed
    bool done = false;
    std::optional<Clock::time_point>
        given_up;  ///< replacement's, when sending has failed: it need not say why any more
    std::vector<std::byte> recipe;
    std::optional<ProcessWatch> process;  ///< replacement's
  };

  struct Failure {
    cppc_status status = CPPC_OK;
    std::string reason;
    bool unexplained = false;  ///< there is no more than the status; another agent may know why
  };

  /// For ranks that do not come, or do not come to the same place.
  static bool waited_in_vain(cppc_status status) { return status == CPPC_ERR_TIMEOUT || status == CPPC_ERR_MISMATCH; }

  // The steps in their order (prepare.cpp, meet.cpp, ship.cpp, commit.cpp; of a checkpoint prepare_checkpoint.cpp,
  // meet.cpp, checkpoint.cpp). A step that fails on this node says so with
  // fail(); agree() after each tells all.
  [[nodiscard]] bool saves() const { return !order_.checkpoint.empty(); }
  bool ship_and_decide();
  bool ranks_can_stop();
  void prepare();
  void exchange_recipes();
  [[nodiscard]] bool has_program(int rank, const Recipe& recipe);
  void start_replacements();
  void await_replacements();
  void exchange_offers();
  struct Stops {
    bool at_calls, at_marks;
  };
  [[nodiscard]] Stops common_stops();
  bool meet();
  bool meet_at_safe_point(negotiation::Tree& tree, Clock::duration timeout, Clock::duration arrival);
  bool no_safe_point_in_sight();
  void release();
  template <class Side>
  void negotiate(Side& side, Clock::duration timeout);
  /// When it has gone on for long: which rank of this node the others wait for, if there is one.
  template <class Side>
  void report_late(const Side& side);
  void urge(const negotiation::AgentSide&, Interrupter&) const {}  ///< all will come by a safe point
  void urge(const negotiation::CutAgent& cut, Interrupter& interrupter) const;
  void freeze(negotiation::AgentSide& side, Clock::duration arrival);
  void freeze(negotiation::CutAgent& cut);
  void drain();
  void ship();
  bool decide();
  bool await_decision();
  void commit();
  void roll_back();
  void prepare_checkpoint();
  void check_storage();
  void identify_programs();
  void check_memory();
  void name_files();
  bool save();
  bool save_standing();
  void copy_states();
  void work_on();
  void write_files();
  bool written(int rank);
  void report_saved();
  void end_checkpoint(bool good);

  void await_arrivals(std::uint64_t point, Clock::duration timeout);
  void await_local_arrivals(std::uint64_t point, Clock::duration within, const std::function<void()>& meanwhile);
  enum class Traffic { quiet, in_flight, disordered, unknown };
  Traffic traffic();
  bool lost(const RankTransfer& replacement);
  bool cannot_take_over(const RankTransfer& replacement);
  static bool has_no_words(const Slot& slot) { return slot.reason.front() == '\0'; }
  static std::string why(const Slot& slot);
  void advance_source(RankTransfer& source);
  void advance_replacement(RankTransfer& replacement);
  [[nodiscard]] std::vector<int> joining_agents() const;
  void rebuild_comms();
  void join_replacements(Part part);
  struct Lists {
    std::vector<int> gone, joins;  ///< as in Part
  };
  bool share(Lists& lists);
  void acknowledge();
  void await_departures();
  void note_downtimes(std::uint64_t committed_ns);
  void share_times();
  bool share_downtimes();
  void update_node();
  void free_agents(MPI_Comm before);

  void fail(cppc_status status, std::string reason, bool unexplained = false);
  /// Of a rank that has failed: as it has said why, or by its status.
  void fail_for(const Slot& slot, std::string_view what);
  /// True when no agent has failed; else failure_ is that which explains most, of the first agent, in all of them.
  bool agree();
  /// To what the controller says; in every wait for other agents, too.
  void poll_controller();
  void handle(wire::Message message);
  /// To and from agents without MPI.
  bool relay(int to, int tag, std::span<const std::byte> bytes);
  void take(const wire::Relay& message);
  /// Whether the controller has given the migration up.
  bool given_up();
  void report_mpi_failure();
  void announce(const char* phase);
  /// A fault point of this agent's connection to the controller.
  void disturb_link(const char* step);
  /// The name of a fault point of this agent.
  [[nodiscard]] std::string place(const char* step) const;
  void report_bytes();
  /// Fails when the controller wants the migration given up.
  bool cancelled();
  [[nodiscard]] bool retires() const;
  [[nodiscard]] int tag(int index, int kind) const;
  [[nodiscard]] int tag(const RankTransfer& transfer, int kind) const { return tag(transfer.index, kind); }
  [[nodiscard]] double milliseconds_since(Clock::time_point start) const;

  Node& node_;
  const wire::Order& order_;
  AgentComm comm_;
  bool cancel_wanted_ = false;  ///< by an operator
  bool decided_ = false;        ///< the controller has said so
  const Clock::time_point started_ = Clock::now();
  std::vector<RankTransfer> sources_;
  std::vector<RankTransfer> replacements_;
  MPI_Comm children_ = MPI_COMM_NULL;
  Failure failure_;
  std::map<int, std::string> programs_;      ///< of the ranks that save, by rank
  std::array<std::int64_t, 2> under_way_{};  ///< messages and active requests of all ranks, when last looked at
  const char* phase_ = "prepare";
  std::string late_;  ///< what the controller was told last of a rank that is late
  Clock::time_point negotiating_{}, late_reported_{};
  Clock::time_point frozen_{};
  Clock::time_point reported_{};
  wire::Outcome outcome_;
};

}  // namespace cppc::migration
