/// A rank as a member of the job: what the extension's hooks do. One per process; used by the thread that calls MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "../control_block.hpp"
#include "../job_comms.hpp"
#include "arrival.hpp"
#include "cppc/cut_rank.hpp"
#include "cppc/hooks.h"
#include "cppc/page.hpp"
#include "departure.hpp"
#include "finalize_barrier.hpp"
#include "last_image.hpp"
#include "snapshot.hpp"

namespace cppc::migration {

class Member {
 public:
  /// Collective with all processes of the launch.
  static tl::expected<std::unique_ptr<Member>, cppc_status> enlist(const cppc_runtime& runtime,
                                                                   const cppc_calls& calls);
  /// Collective with all processes of the launch, too: from the images of this checkpoint.
  static tl::expected<std::unique_ptr<Member>, cppc_status> restart(const cppc_runtime& runtime,
                                                                    const cppc_calls& calls,
                                                                    const std::string& checkpoint);
  /// In a process that an agent has spawned.
  static tl::expected<std::unique_ptr<Member>, cppc_status> replace(const cppc_runtime& runtime,
                                                                    const cppc_calls& calls,
                                                                    const std::string& assignment);

  [[nodiscard]] MPI_Comm world() const { return comms_.own; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return comms_.ranks; }

  // As the hooks of the same names say.
  bool reached(std::uint64_t passed, unsigned site);
  void stopped(std::uint64_t passed, unsigned site);
  cppc_status fetch();
  cppc_status join();
  [[noreturn]] void fail(cppc_status status);
  /// While it is stopped: whether these ranks move to one node with it, or all are being saved.
  [[nodiscard]] bool go_together(std::span<const int> ranks) const;
  bool all_finalize();
  void finish();

  /// At a call of MPI, as cppc_calls says.
  bool reached_call(bool collective, int waits_for);
  /// What the rank counts; only when the runtime watches calls.
  [[nodiscard]] negotiation::CutRank& cut() { return *cut_; }

 private:
  /// `calls` lead to the member to be.
  Member(const cppc_runtime& runtime, const cppc_calls& calls, int rank, ControlBlock control,
         negotiation::RankSide negotiator);
  static tl::expected<std::unique_ptr<Member>, cppc_status> assemble(const cppc_runtime& runtime,
                                                                     const cppc_calls& calls);
  cppc_status join_as_replacement();
  cppc_status join_restarted_job();
  void serve_agent();
  [[nodiscard]] Slot& slot() const { return control_.slot(rank_); }
  void announce();
  void prepare_departure();
  void prepare_snapshot();
  void copy_state();
  void depart();
  void await_acknowledgement();
  void report_arrival(std::uint64_t passed, unsigned site);
  void report_traffic();
  tl::expected<Action, cppc_status> next_command();
  void check_thread_level() const;
  Action await_order();
  std::function<bool()> given_up();
  void go_on();
  void enter(const JobComms& comms);
  void rebuild_comms();
  void watch_page();
  [[noreturn]] void leave();
  [[noreturn]] void leave_for_good();
  [[noreturn]] void exit_process();

  const cppc_runtime* runtime_;
  int rank_;
  ControlBlock control_;
  negotiation::RankSide negotiator_;
  std::optional<negotiation::CutRank> cut_;
  JobComms comms_;
  FinalizeBarrier barrier_;
  std::optional<Clock::time_point> finalizing_;                    ///< since when
  std::uint32_t seen_ = 0;                                         ///< commands of the control block
  bool draining_ = false;                                          ///< the last command was to drain
  bool at_call_ = false;                                           ///< it stops at a call, not at a safe point
  std::optional<std::uint64_t> stop_at_;                           ///< messages were in flight: stop again here
  std::optional<Arrival> arrival_;                                 ///< replacement until its state is here
  std::optional<tl::expected<Departure, cppc_status>> departure_;  ///< source, once it has been told
  std::unique_ptr<LastImage> last_image_;                          ///< source, once it is shipped
  std::unique_ptr<Snapshot> snapshot_;                             ///< of the last checkpoint
  std::string checkpoint_;                                         ///< restarted rank: from which; else empty
};

}  // namespace cppc::migration
