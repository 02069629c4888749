/// Windows of MPI_Win_allocate whose ranks are all on one node. MPI then takes memory that these ranks share, so that
/// an access is a load or a store, but it chooses the place, another one each time that the window is made. The program
/// sees the same memory a second time, at the place that its own window memory has had from the beginning.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace cppc::mpi {

/// What MPI_Win_allocate has got for the program; both null when that is nothing.
struct WindowMemory {
  void* block = nullptr;  ///< for release_carried()
  void* base = nullptr;   ///< in it, what the window shows
};

/// Whether windows of this size can be made by make_node_window(). Collective; `comm` is one that MPI knows. All of
/// its members get the same answer.
bool can_share_memory(MPI_Aint bytes, MPI_Comm comm);

/// Makes a window of memory that MPI shares among the members and shows it to the program: at `memory.base`, which
/// keeps what it holds, or, when there is none yet and `bytes` is more than 0, at new memory of the program's.
/// Collective. MPI_ERR_NO_MEM on all members, and nothing made, when one of them cannot show it.
int make_node_window(WindowMemory& memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made);

/// The process has the block for itself again, with what it holds. False, logged, when that failed.
bool stop_sharing(const WindowMemory& memory, MPI_Aint bytes);

}  // namespace cppc::mpi
