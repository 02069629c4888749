/// The agent: one process per node, part of the job but not of the application's world. It sleeps on its connection to
/// the controller, and carries out migrations together with the other agents.
#pragma once

#include <sys/types.h>

#include <string>

#include "cppc/status.h"

namespace cppc::migration {

/// Runs an agent, from MPI_Init to MPI_Finalize, until the job is over or its node has been evacuated. `node` is the name
/// that mpirun knows this node by; CPPC_CONTROLLER and CPPC_KEY in the environment tell how to reach cppc-run. Collective
/// over the processes of the launch. Called once, from the main thread. An error has been logged; the job cannot go on.
cppc_status run_agent(const std::string& node);

/// Turns the calling process into a replacement, as descriptor `descriptor` of process `agent` tells. Returns only when
/// it cannot; the error has been logged.
cppc_status become(pid_t agent, int descriptor);

}  // namespace cppc::migration
