/// MPI's own handles by name. They are addresses in the MPI library and differ between processes; the position in its
/// list stands for each.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

namespace cppc::mpi {

/// The position of `handle`, nothing when the program made it.
std::optional<std::size_t> position_of(MPI_Datatype handle);
std::optional<std::size_t> position_of(MPI_Op handle);

/// The handle at `position`, nothing when there is none.
std::optional<MPI_Datatype> datatype_at(std::size_t position);
std::optional<MPI_Op> op_at(std::size_t position);

}  // namespace cppc::mpi
