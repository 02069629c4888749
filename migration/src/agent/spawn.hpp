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
/// Returns its intercommunicator when all of them have reached MPI_Init. Blocks inside MPI for some 0.3 s.
tl::expected<MPI_Comm, cppc_status> spawn(const std::string& node, const std::vector<Replacement>& replacements);

}  // namespace cppc::migration
