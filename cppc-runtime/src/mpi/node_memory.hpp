/// Windows whose ranks are all on one node and share memory: those of MPI_Win_allocate, where MPI then makes an access
/// a load or a store, and of MPI_Win_allocate_shared, where the program does. MPI chooses the place, another one each
/// time that the window is made. The program sees the same memory a second time, at the place that its block has had
/// from the beginning.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace cppc::mpi {

/// What a window of these has got for the program; both null when that is nothing.
struct WindowMemory {
  void* block = nullptr;  ///< for release_carried()
  void* base = nullptr;   ///< in it, what the window shows of this rank
};

/// Whether windows of this size can be made by make_node_window(). Collective; `comm` is one that MPI knows. All of
/// its members get the same answer.
bool can_share_memory(MPI_Aint bytes, MPI_Comm comm);

/// Makes a window of memory that MPI shares among the members and shows each its own: at `memory.base`, which
/// keeps what it holds, or, when there is none yet and `bytes` is more than 0, at new memory of the program's.
/// Collective. MPI_ERR_NO_MEM on all members, and nothing made, when one of them cannot show it.
int make_node_window(WindowMemory& memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made);

/// Whether windows of MPI_Win_allocate_shared can be made by make_spanning_window(): the members, more than one, were
/// started together. All of them get the same answer, without asking each other.
bool can_span_members(MPI_Comm comm);

/// As make_node_window(), by MPI_Win_allocate_shared: each member's block shows the memory of all of them, of which it
/// keeps what its own holds.
int make_spanning_window(WindowMemory& memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made);

/// Where the program sees what MPI has at `place`, in the memory of a window that make_spanning_window() has made; else
/// `place`.
void* shown_at(const WindowMemory& memory, MPI_Win real, void* place);

/// Bytes of the members' memory, all of it.
std::uint64_t spanned_bytes(MPI_Win real);

/// Bytes of memory that ranks of this node can share with each other.
std::uint64_t free_shared_memory();

/// The process has the block's place for itself again; what it held is no more. False, logged, when that failed.
bool stop_sharing(const WindowMemory& memory);

}  // namespace cppc::mpi
