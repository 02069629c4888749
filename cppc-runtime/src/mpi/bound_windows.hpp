/// Windows whose memory other ranks reach as their own, or know addresses in that are other ones after a move (in a
/// `--portable` program). They mean something in the processes that have made them only: a rank that has one cannot be
/// moved, and when others move the window stays as it is.
#pragma once

#include <mpi.h>

#include "mpi/windows.hpp"

namespace cppc::mpi::bound_windows {

/// Whether one that `shown` says, of these members, is bound. Memory that a process shares with nobody is its own.
bool are(const KeptWindow& shown, MPI_Comm comm);

/// For messages: what follows the window's name.
const char* reason(const KeptWindow& kept);

/// Makes it; the base of memory that is allocated with it goes to `shown`. What MPI returned.
int make(KeptWindow& shown, MPI_Info info, MPI_Comm comm, MPI_Win* made);

}  // namespace cppc::mpi::bound_windows
