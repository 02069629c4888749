/// What an agent and its guardian share. An agent may exit as long as no migration is being committed: its guardian
/// leaves MPI for it, and its ranks go on.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <tl/expected.hpp>

#include "cppc/status.h"
#include "cppc/unique_fd.hpp"

namespace cppc::migration {

/// What an agent shares with its guardian, which reads all but the flags only when the agent is gone.
struct AgentState {
  static constexpr std::size_t most_ranks = 1 << 16;  // pages of it that are not used cost nothing

  std::atomic<bool> in_mpi{false};          ///< MPI_Init has returned
  std::atomic<bool> needed{false};          ///< a migration is being committed: without this agent the job cannot go on
  std::atomic<bool> done{false};            ///< the ranks have ended, and so does it: cppc-run may go before
  std::atomic<std::uint64_t> confirmed{0};  ///< the last migration that all agents have completed
  int agent = -1;                           ///< its number; -1: the controller does not know it yet
  std::size_t rank_count = 0;
  std::array<pid_t, most_ranks> ranks{};  ///< the processes of those on this node that have not ended
};

struct UnmapAgentState {
  void operator()(AgentState* state) const noexcept;
};
using SharedAgentState = std::unique_ptr<AgentState, UnmapAgentState>;

/// Before the fork. CPPC_ERR_SYSTEM, logged.
tl::expected<SharedAgentState, cppc_status> share_agent_state();

/// Exit status of an agent that the controller has given up, or that has lost it: no error of its own.
inline constexpr int kExitWithoutAbort = 75;

/// Ends the agent, at once: cppc-run has given it up or is gone.
[[noreturn]] void exit_without_aborting_job();

/// Ends the agent as soon as the connection to cppc-run is closed, wherever the agent is: it may be inside MPI, waiting
/// for somebody who has died.
class LinkWatch {
 public:
  /// CPPC_ERR_SYSTEM, logged.
  static tl::expected<std::unique_ptr<LinkWatch>, cppc_status> on(int socket);
  LinkWatch(const LinkWatch&) = delete;
  LinkWatch& operator=(const LinkWatch&) = delete;
  ~LinkWatch();

  /// Until resume() a closed connection ends nothing: the caller looks himself.
  void hold();
  void resume();

 private:
  LinkWatch(int socket, UniqueFd stop) : socket_(socket), stop_(std::move(stop)) {}
  void run();

  int socket_;
  UniqueFd stop_;  ///< an event
  std::mutex held_;
  std::thread thread_;
};

}  // namespace cppc::migration
