#include "mpi/bound_windows.hpp"

#include "address/program_time.hpp"

namespace cppc::mpi::bound_windows {

bool are(const KeptWindow& shown, MPI_Comm comm) {
  if (shown.flavor == MPI_WIN_FLAVOR_SHARED) {
    int members = 0;
    return PMPI_Comm_size(comm, &members) != MPI_SUCCESS || members != 1;
  }
  const bool all_memory = shown.flavor == MPI_WIN_FLAVOR_CREATE && shown.base == MPI_BOTTOM && shown.size > 0;
  return (shown.flavor == MPI_WIN_FLAVOR_DYNAMIC || all_memory) && !address::kept_by_address();
}

const char* reason(const KeptWindow& kept) {
  switch (kept.flavor) {
    case MPI_WIN_FLAVOR_SHARED:
      return "has memory that ranks of a node share (MPI_Win_allocate_shared())";
    case MPI_WIN_FLAVOR_DYNAMIC:
      return "is one in which other ranks know addresses (MPI_Win_create_dynamic())";
    default:
      return "has all memory of the process (MPI_Win_create() with MPI_BOTTOM)";
  }
}

int make(KeptWindow& shown, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
  switch (shown.flavor) {
    case MPI_WIN_FLAVOR_SHARED:
      return PMPI_Win_allocate_shared(shown.size, shown.unit, info, comm, static_cast<void*>(&shown.base), made);
    case MPI_WIN_FLAVOR_DYNAMIC:
      return PMPI_Win_create_dynamic(info, comm, made);
    default:
      return PMPI_Win_create(shown.base, shown.size, shown.unit, info, comm, made);
  }
}

}  // namespace cppc::mpi::bound_windows
