/// The extension named by CPPC_EXTENSION: loading it, and its life from MPI_Init to MPI_Finalize.
#pragma once

#include <mpi.h>

#include <optional>

namespace cppc::extension {

/// Who this process is in the application.
struct Place {
  MPI_Comm world = MPI_COMM_NULL;  ///< the application's; MPI_COMM_NULL in a replacement, until rebuild()
  bool replacement = false;
  int rank = 0;
  int size = 0;
};

/// Before MPI is initialised: whether this process takes over a rank. Loads the extension, if one is named; when it
/// cannot be loaded, says so and ends the process.
bool replaces();

/// At the end of the interposed MPI_Init and MPI_Init_thread, when real MPI calls are possible. Loads and starts the
/// extension; nothing is returned when none is named: the program runs as a plain MPI program in the real
/// MPI_COMM_WORLD. When the extension cannot be loaded or started, says so and ends the job with PMPI_Abort.
std::optional<Place> start();

/// At the beginning of the interposed MPI_Finalize: whether all ranks have come there, as far as the extension wants to
/// know; then its end.
bool all_finalize();
void finish();

}  // namespace cppc::extension
