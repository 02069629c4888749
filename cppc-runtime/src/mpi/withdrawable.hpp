/// Blocking collective operations that a rank can withdraw from while it is inside: all members have to begin them
/// before any leaves, and they can be begun again with the same arguments and the same result. So ranks that wait for
/// one that computes can be stopped although this one does not come to the operation: it takes part with dummy data,
/// the others come out, and begin the operation again when all go on (negotiation/include/cppc/cut.hpp has the
/// agreement).
///
/// These are MPI_Barrier, MPI_Allreduce, MPI_Allgather, MPI_Alltoall and MPI_Reduce_scatter_block, and, in all but the
/// root, MPI_Bcast and MPI_Scatter; with MPI's own datatypes and operations, in an intracommunicator, of up to
/// most_bytes. What MPI_IN_PLACE overwrites is kept beside as long as the call lasts, up to most_kept bytes; more makes
/// the operation one that cannot be withdrawn.
#pragma once

#include <cstddef>

namespace cppc::mpi {

/// Of all members together.
constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// To copy more would show in the time of the call.
constexpr std::size_t most_kept = 1024;

}  // namespace cppc::mpi
