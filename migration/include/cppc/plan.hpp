/// Where ranks are to go: from a snapshot of the job and a request to moves, or to a refusal that names what is wrong.
/// Pure functions: no I/O, no state, callable from any thread. A dry run is this and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace cppc::plan {

enum class NodeState {
  up,
  leave_only,  ///< its agent has died: ranks can leave, but none can come
  evacuated,
  down
};

struct Node {
  std::string name;  ///< as mpirun knows it
  NodeState state = NodeState::up;
  int slots = 1;                  ///< ranks it is meant for, at least 1
  std::uint64_t memory_free = 0;  ///< bytes
};

struct Rank {
  int node = 0;                   ///< index in Snapshot::nodes
  std::uint64_t bytes = 0;        ///< state that has to be moved
  bool finished = false;          ///< is in MPI_Finalize
  std::vector<int> sharers = {};  ///< ranks that share memory with it: they move together, to one node, or not at all
};

struct Snapshot {
  std::vector<Node> nodes;  ///< node i is that of agent i
  std::vector<Rank> ranks;  ///< by rank
};

/// Either `ranks` with at least one node in `to`, or `evacuate`, with all other nodes meant when `to` is empty.
struct Request {
  std::vector<int> ranks;
  std::string evacuate;
  std::vector<std::string> to;
  std::vector<std::string> avoid;  ///< nodes that are not meant then; the job need not have them
};

/// Nodes by index in Snapshot::nodes.
struct Move {
  int rank = 0;
  int from = 0;
  int to = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

struct Plan {
  std::vector<Move> moves;    ///< in the order of ranks; none when an empty node is evacuated
  std::optional<int> retire;  ///< the node that is given up
};

/// With several nodes to choose from, each rank, with those that share memory with it, goes to the node that is least
/// loaded for its slots: free slots first, evenly, and only where the state fits into the free memory. Slots are no
/// limit. The error is a sentence for people.
tl::expected<Plan, std::string> make_plan(const Snapshot& job, const Request& request);

/// The job as it will be when `plan` has been carried out.
Snapshot after(Snapshot job, const Plan& plan);

/// "up", "leave-only", "evacuated" or "down".
std::string_view text(NodeState state);

}  // namespace cppc::plan
