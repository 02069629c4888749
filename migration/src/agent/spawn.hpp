/// Starts replacements on this agent's node.
#pragma once

#include <mpi.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "../assignment.hpp"
#include "cppc/status.h"
#include "recipe.hpp"

namespace cppc::migration {

struct Replacement {
  Recipe recipe;
  Assignment assignment;
};

/// Spawns one process for each, in order, all on `node` (the name that mpirun knows this node by), as one MPI job.
/// Returns its intercommunicator when all of them have reached MPI_Init. Blocks inside MPI for some 0.3 s. `bound`:
/// they may be bound to processors, as the job is.
tl::expected<MPI_Comm, cppc_status> spawn(const std::string& node, bool bound,
                                          const std::vector<Replacement>& replacements);

/// Whether Open MPI's daemon, the parent of this process, has bound it to some of the processors that it may use.
bool bound_by_parent();

}  // namespace cppc::migration
