/// Which fabric provider is the fastest between two nodes: both their agents find out together, by a few megabytes.
#pragma once

#include <mpi.h>

#include <string>

namespace cppc::migration {

/// In the agent of the node that images come from. `other` is the other agent in `agents`.
void probe_towards(MPI_Comm agents, int other, int tag);

/// In the agent of the node that they go to: the best provider; empty when none carried anything, which may be due to
/// the other node.
std::string probe_from(MPI_Comm agents, int other, int tag);

}  // namespace cppc::migration
