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
std::optional<std::size_t> position_of(MPI_Info handle);
std::optional<std::size_t> position_of(MPI_Errhandler handle);

/// The handle at `position`, nothing when there is none.
std::optional<MPI_Datatype> datatype_at(std::size_t position);
std::optional<MPI_Op> op_at(std::size_t position);
std::optional<MPI_Info> info_at(std::size_t position);
std::optional<MPI_Errhandler> errhandler_at(std::size_t position);

}  // namespace cppc::mpi
