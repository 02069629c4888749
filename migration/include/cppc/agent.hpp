/// The agent: one process per node, part of the job but not of the application's world. It sleeps on its connection to
/// the controller, and carries out migrations together with the other agents.
#pragma once

#include <sys/types.h>

#include <string>

#include "cppc/status.h"

namespace cppc::migration {

/// Both turn the calling process into a guardian, and do what they say in its only child. They return in either; what
/// they return is the exit status. An agent or a replacement that dies while the job does not depend on it costs no
/// more than the migration under way; otherwise the guardian ends as it has, and mpirun ends the job. Called once, from
/// the only thread, before MPI_Init; errors have been logged.

/// Runs an agent, from MPI_Init to MPI_Finalize, until the job is over or its node has been evacuated. `node` is the
/// name that mpirun knows this node by; CPPC_CONTROLLER and CPPC_KEY in the environment tell how to reach cppc-run.
/// Collective over the processes of the launch.
int run_agent(const std::string& node);

/// Runs a replacement, as descriptor `descriptor` of process `agent` tells.
int become(pid_t agent, int descriptor);

}  // namespace cppc::migration
