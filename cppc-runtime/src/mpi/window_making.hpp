/// How real windows are made: for the program, and again when a rank has moved.
#pragma once

#include <mpi.h>

#include "cppc/status.h"
#include "mpi/windows.hpp"

namespace cppc::mpi::window_making {

/// For the program, as `shown` says; memory that the window gets goes to `shown`. Sets in `out` how it has been made.
/// Collective over `comm`, which is one that MPI knows. An error of MPI's, which has been raised.
int make_first(KeptWindow& shown, MPI_Info info, MPI_Comm comm, Window& out);

/// For `out`, whose real window is no more or is another process's, with the epochs that the program is in. Collective
/// over the members. CPPC_ERR_MPI, logged.
cppc_status make_again(const WindowDescription& window, MPI_Comm world, Window& out);

/// Before the real window is freed.
void leave_epochs(const Window& window);

/// What the window has got, if anything, is the program's no more.
void release_memory(const KeptWindow& kept);

/// MPI_WIN_MODEL.
int model_of(MPI_Win real);

}  // namespace cppc::mpi::window_making
