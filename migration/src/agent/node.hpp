/// What an agent knows: its node, the job around it, and how to reach both.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "../control_block.hpp"
#include "../job_comms.hpp"
#include "agent_state.hpp"
#include "cppc/page.hpp"
#include "cppc/wire.hpp"
#include "link.hpp"
#include "process_watch.hpp"

namespace cppc::migration {

struct Node {
  int agent = 0;     ///< this agent's number
  std::string name;  ///< as mpirun knows the node
  ControlBlock control;
  negotiation::Page page;
  Link link;
  std::unique_ptr<LinkWatch> watch;  ///< on the link; after it, so that it ends first
  AgentState* state = nullptr;       ///< the guardian's, too
  bool bound = false;                ///< Open MPI's daemon binds processes to processors
  JobComms comms;
  std::vector<int> members;      ///< numbers of the agents in comms.own, in its order; some may have been lost since
  std::vector<int> agents;       ///< those that carry out migrations: what is left of them, and then those without MPI
  std::vector<int> without_mpi;  ///< of these
  bool disturbed = false;        ///< comms.own has members that are lost, or messages that nobody receives
  bool left_over = false;        ///< there have been such communicators, with which MPI may never come to an end
  std::vector<int> agent_of;     ///< rank -> agent of the node it is on
  std::map<int, ProcessWatch> processes;  ///< ranks that run here
  std::vector<wire::Message> inbox;       ///< from the controller, not looked at yet

  [[nodiscard]] bool leader() const { return agents.front() == agent; }
  /// Index in `agents` of agent `number`, which is there.
  [[nodiscard]] int index_of(int number) const;
  [[nodiscard]] bool has_mpi(int number) const;
  /// Ranks of `agents` in comms.own; -1: without MPI.
  [[nodiscard]] std::vector<int> places() const;
  [[nodiscard]] std::vector<int> local_ranks() const;
  /// Ranks in comms.all of the agents that have been lost.
  [[nodiscard]] std::vector<int> lost_members() const;

  /// From now on those carry out migrations. Some are without MPI.
  void go_on_with(const std::vector<int>& those, const std::vector<int>& some);
  void note_disturbance() { disturbed = left_over = true; }

  /// Starts watching rank `rank`, which is on this node now.
  tl::expected<void, cppc_status> adopt(int rank, pid_t process);

  /// Ends all processes of the job on this node that it knows of, this one and its guardian too. They get no time: what
  /// they would still do is done by others, who go on from a checkpoint.
  [[noreturn]] void end() const;

  /// Tells the controller, and the guardian, who is here.
  tl::expected<void, cppc_status> report();
};

}  // namespace cppc::migration
