/// The messages between the controller (in cppc-run) and the agents: one JSON object a line, over TCP.
///
/// An agent connects to the first of the addresses in CPPC_CONTROLLER that answers (numbers, no names:
/// "192.0.2.1:4711,[2001:db8::1]:4711") and says Hello with its one-time key, or its guardian Substitute; a
/// connection that says anything else first is closed. Agents are numbered 0, 1, ... in the order of their nodes on
/// mpirun's command line. Each says whether it is Ready for the commit. The lowest agent that is left is the leader:
/// Progress comes from it, and from those that ranks leave or come to, the Outcome from it alone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "cppc/status.h"

namespace cppc::wire {

struct Rank {
  int rank = 0;
  pid_t pid = 0;            ///< as its agent sees it
  std::uint64_t bytes = 0;  ///< state, as last announced
  bool finished = false;    ///< has entered MPI_Finalize
  /// Ranks that share memory with it, itself among them: they move together or not at all.
  std::vector<int> sharers = {};
};

/// Agent to controller, first message.
struct Hello {
  std::string key;  ///< agent_key()
  int agent = 0;
  int agents = 0;
  std::string node;  ///< host name
  pid_t pid = 0;
  int job_size = 0;  ///< ranks of the application
  int mpirun = 0;    ///< what Open MPI calls the family of jobs that its mpirun has started
};

/// Agent to controller: the ranks on its node, whenever they change and as answer to a Survey.
struct Roster {
  int agent = 0;
  std::vector<Rank> ranks;
  int cores = 0;
  std::uint64_t memory_free = 0;  ///< bytes
};

/// How much of the image of a rank that leaves has been sent.
struct Shipment {
  int rank = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  std::uint64_t chunks_again = 0;  ///< that did not arrive as they were sent
};

/// Leader, or agent that ranks leave or come to, to controller. Phases in their order: prepare, negotiate, freeze,
/// ship, commit; of a checkpoint: prepare, negotiate, freeze, write.
struct Progress {
  std::uint64_t id = 0;
  std::string phase;
  std::uint64_t bytes_done = 0;  ///< of all ranks that leave this agent
  std::uint64_t bytes_total = 0;
  int agent = 0;
  std::vector<Shipment> ranks;  ///< that leave it
};

/// Agent to controller: for some seconds the negotiation has been waiting for a rank of its node.
struct Late {
  std::uint64_t id = 0;
  int agent = 0;
  std::string reason;  ///< which rank, and what keeps it, for people; empty: none any more
};

/// Agent to controller: on its node all is prepared; it commits as soon as it is told, whatever happens elsewhere.
struct Ready {
  std::uint64_t id = 0;
  int agent = 0;
};

/// Agent's guardian to controller, last message: the agent is gone. The connection is closed once the ranks that were
/// on its node have ended.
struct Farewell {
  int agent = 0;
};

/// Agent's guardian to controller, first on a connection of its own: the agent has died, or has lost its connection.
/// Another process of the guardian's, without MPI, is to take its place, and waits for a Placement; if none is wanted,
/// the connection is closed.
struct Substitute {
  std::string key;  ///< substitute_key()
  int agent = 0;
  int count = 1;                ///< so many have taken that place, with this one: each key is good once
  std::uint64_t confirmed = 0;  ///< the last migration of which the agent knew that all agents had completed it
};

/// Controller to a substitute: where all ranks are.
struct Placement {
  std::vector<int> agent_of;  ///< by rank
};

/// Agent to controller, and on to another agent: what it tells that agent, if one of them is without MPI.
struct Relay {
  std::uint64_t id = 0;  ///< of the order
  int from = 0;          ///< agents
  int to = 0;
  int tag = 0;
  std::vector<int> bytes;
};

/// Controller to all agents: every one of them is ready. The migration takes place.
struct Commit {
  std::uint64_t id = 0;
};

/// Controller to all agents that are left: give up what is under way, since an agent has been lost, or cannot reach the
/// others. Not after Commit.
struct Abandon {
  std::uint64_t id = 0;
};

/// Agent to controller: it has given up, and undoes what it has done. The leader sends no Outcome.
struct Abandoned {
  std::uint64_t id = 0;
  int agent = 0;
};

/// Agent to controller: a call of MPI has failed in it. It has given up, and the others are to.
struct MpiFailed {
  std::uint64_t id = 0;
  int agent = 0;
  std::string reason;
};

/// Leader to controller: a migration has ended. CPPC_OK: all moves are done and the sources are gone.
/// CPPC_ERR_PEER or CPPC_ERR_MPI: the job is damaged. Anything else: rolled back, the job goes on as before.
struct Outcome {
  std::uint64_t id = 0;
  cppc_status status = CPPC_OK;
  std::string reason;  ///< for people; empty when done
  double frozen_ms = 0, response_ms = 0, evacuation_ms = 0, rebuild_ms = 0;
  std::uint64_t image_bytes = 0;
  std::vector<double> downtime_ms;  ///< by rank: all time from a stop of its own until it went on, in this migration
};

/// The file that a rank has written for a checkpoint.
struct SavedImage {
  int rank = 0;
  std::uint64_t bytes = 0;
  std::uint64_t xxh3 = 0;  ///< cppc/file_hash.hpp
  std::string program;     ///< which program that is, by its build id
};

/// Agent to controller, before the Outcome of a checkpoint: what the ranks of its node have written.
struct Saved {
  std::uint64_t id = 0;
  int agent = 0;
  std::vector<SavedImage> images;
};

struct Move {
  int rank = 0;
  int to = 0;  ///< agent
};

/// Controller to all agents that are left. One order at a time.
struct Order {
  std::uint64_t id = 0;
  std::vector<Move> moves;
  std::vector<int> retire;       ///< agents whose nodes are empty afterwards and leave the job
  double timeout_s = 60;         ///< until the migration point is reached
  std::vector<int> agents;       ///< those that take part: in rising order, but first those with MPI
  std::vector<int> without_mpi;  ///< of these
  /// Of a checkpoint, which moves nobody: the directory for the files of all ranks. Nodes that see it find the job's id
  /// in the file `job` there. Empty: a migration.
  std::string checkpoint;
  bool stands = false;  ///< after such a checkpoint the ranks stand still, until the controller says Proceed
};

/// Controller to all agents, when the ranks stand still after a checkpoint: they work on, or, with `leaves`, ranks and
/// agents finalize and exit, since the job goes on elsewhere from the files.
struct Proceed {
  std::uint64_t id = 0;
  bool leaves = false;
};

/// Controller to all agents: the job is lost, and goes on from a checkpoint under another mpirun. Ranks and agents end
/// at once; mpirun itself would give them seconds.
struct End {};

/// Controller to all agents: give up before the commit, if there is still time.
struct Cancel {
  std::uint64_t id = 0;
};

/// Controller to an agent that has said Hello: the job ran under these mpiruns before (Hello::mpirun). They have ended,
/// and what Open MPI has left of them on the agent's node is removed.
struct RemoveRemains {
  std::vector<int> mpiruns;
};

struct Survey {};
/// Controller to all agents: every rank has finished; finalize and exit.
struct Quit {};

using Message =
    std::variant<Hello, Roster, Progress, Ready, Outcome, Order, Commit, Cancel, Survey, Quit, Farewell, Abandon,
                 Abandoned, MpiFailed, Substitute, Placement, Relay, Saved, Proceed, End, Late, RemoveRemains>;

/// One line, with its newline.
std::string encode(const Message& message);

/// CPPC_ERR_ARGUMENT for anything that is not one of the messages above.
tl::expected<Message, cppc_status> decode(std::string_view line);

}  // namespace cppc::wire
