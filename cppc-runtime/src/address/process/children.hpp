/// Processes that the program has started, and that are its children: they would be those of a process that is no more.
#pragma once

#include "cppc/status.h"

namespace cppc::address::children {

/// Around MPI_Init: those that it starts are the process's.
void mpi_starts();
void mpi_started();

/// CPPC_ERR_UNSUPPORTED, logged by name, when the program has one, be it ended, that it has not waited for.
cppc_status check();

}  // namespace cppc::address::children
