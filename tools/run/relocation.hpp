/// A relocation: the whole job goes on under another mpirun, on other nodes, from images of all ranks. That is how
/// nodes come to a running job, since Open MPI cannot add a daemon to a running mpirun.
///
/// Pure functions: no I/O, no state, callable from any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "allocation.hpp"
#include "migration.hpp"

namespace cppc::run {

/// Where a job is: its nodes, by agent, and the node of each rank.
struct Layout {
  std::vector<AllocatedNode> nodes;
  std::vector<std::string> places;
};

struct RelocationPlan {
  Layout before;  ///< without the nodes that have been evacuated or lost
  Layout after;
  std::vector<NamedMove> moves;
};

/// Where the job goes on under the next mpirun.
struct Relocation {
  std::string checkpoint;  ///< its directory
  Layout before, after;    ///< if it cannot start there, it goes on where it was
  bool begun = false;      ///< the next mpirun has been started, but not all ranks have been there
};

/// Nodes of `allocated`, by index, have the state that `job` says. An error is a sentence for people.
tl::expected<RelocationPlan, std::string> plan_relocation(const plan::Snapshot& job,
                                                          std::span<const AllocatedNode> allocated,
                                                          const RelocationRequest& request);

/// The ranks that have left the node and not come back, by the migrations that are done: those are in their order.
std::vector<int> departed_from(const std::string& node, std::span<const Migration> migrations);

}  // namespace cppc::run
