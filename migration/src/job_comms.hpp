/// The communicators that hold all processes of the job together, ranks and agents, and how these meet.
///
/// `all` holds the ranks 0..n-1 and then the agents that have not retired, in the order of their numbers; `own` holds
/// the ranks alone (in a rank: the application's world) or the agents alone (in an agent). A migration replaces both.
/// Collective calls here are made by every member that lives; after an error of join() the job cannot go on.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/status.h"

namespace cppc::migration {

struct JobComms {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm own = MPI_COMM_NULL;
  int ranks = 0;
};

/// What an agent shows to the ranks of its node.
struct AgentAccess {
  pid_t agent_pid = 0;
  int control = -1;  ///< descriptors in the agent's process
  int page = -1;
  int agent = -1;  ///< number
};

/// Where every process started.
struct Members {
  JobComms comms;
  AgentAccess access;         ///< of this process's node
  std::vector<int> agent_of;  ///< rank -> agent
  std::vector<pid_t> pid_of;  ///< rank -> process id on its node
  int agents = 0;
};

/// The first meeting, after MPI_Init, collective over MPI_COMM_WORLD. First come: an agent must know the numbers of
/// ranks and agents before it can make the memory that its node shares, so this is two steps.
struct MemberCounts {
  int ranks = 0;
  int agents = 0;
  int agent = -1;  ///< own number, in an agent
};
tl::expected<MemberCounts, cppc_status> count_members(bool is_agent);
tl::expected<Members, cppc_status> gather_members(const MemberCounts& counts, const AgentAccess& offered);

/// Whether a call of MPI has gone well; if not, that is logged, as an error of `what`.
bool checked(int code, const char* what);

/// Collective over `members` of `comm`, in this order, which is that of the result; the others may be gone. `number`
/// tells it from others that are made at the same time. The result returns errors. CPPC_ERR_MPI, logged.
tl::expected<MPI_Comm, cppc_status> some_of(MPI_Comm comm, std::span<const int> members, int number);

/// Part in a commit. Replacements joined in groups, one for each agent that spawned some.
struct Part {
  JobComms before;                  ///< empty in a replacement
  std::span<const int> gone;        ///< ranks, in `before.all`, of agents that have been lost
  std::span<const int> joins;       ///< ranks, in what is left of it, of the agents that bring replacements, in order
  int group = -1;                   ///< replacement or bringing agent: index of its group in `joins`
  MPI_Comm bridge = MPI_COMM_NULL;  ///< bringing agent (rank 0) and its replacements; freed by the call
  bool agent = false;
  bool leaves = false;  ///< is no member afterwards
  int place = 0;        ///< rank in the application's world, or number of the agent
  int ranks = 0;
};

/// Collective over everybody and all replacements: returns the new communicators (none in a process that leaves) and
/// frees `before.all`; `before.own` is left to the caller.
tl::expected<JobComms, cppc_status> join(const Part& part);

}  // namespace cppc::migration
