/// Windows whose memory other ranks reach as their own, or know addresses in. They mean something in the processes that
/// have made them only: a rank that has one cannot be moved, and when others move the window stays as it is.
#pragma once

#include <mpi.h>

#include "mpi/windows.hpp"

namespace cppc::mpi::bound_windows {

/// Whether one that `shown` says is bound.
bool are(const KeptWindow& shown);

/// For messages: what follows the window's name.
const char* reason(const KeptWindow& kept);

/// Makes it; the base of memory that is allocated with it goes to `shown`. What MPI returned.
int make(KeptWindow& shown, MPI_Info info, MPI_Comm comm, MPI_Win* made);

}  // namespace cppc::mpi::bound_windows
