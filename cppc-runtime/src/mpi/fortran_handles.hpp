/// Numbers that stand for handles in Fortran. Those of MPI's own objects are Open MPI's. Under an extension the
/// program's own objects have the numbers of their tables, behind all of Open MPI's: they mean the same in the process
/// that takes over, and an integer that holds one needs no translation.
#pragma once

#include <mpi.h>

#include <concepts>

namespace cppc::mpi {

#define CPPC_FORTRAN_HANDLES(DO)     \
  DO(MPI_Comm, MPI_Comm)             \
  DO(MPI_Datatype, MPI_Type)         \
  DO(MPI_Errhandler, MPI_Errhandler) \
  DO(MPI_File, MPI_File)             \
  DO(MPI_Group, MPI_Group)           \
  DO(MPI_Info, MPI_Info)             \
  DO(MPI_Message, MPI_Message)       \
  DO(MPI_Op, MPI_Op)                 \
  DO(MPI_Request, MPI_Request)       \
  DO(MPI_Win, MPI_Win)

template <class T>
concept FortranHandle = std::same_as<T, MPI_Comm> || std::same_as<T, MPI_Datatype> || std::same_as<T, MPI_Errhandler> ||
    std::same_as<T, MPI_File> || std::same_as<T, MPI_Group> || std::same_as<T, MPI_Info> ||
    std::same_as<T, MPI_Message> || std::same_as<T, MPI_Op> || std::same_as<T, MPI_Request> || std::same_as<T, MPI_Win>;

/// What MPI_Comm_c2f() and its like give. -1 stands for what is no handle. Ends the process for an object that another
/// process would not know by the number.
#define CPPC_DECLARE(type, name) MPI_Fint to_fortran(type handle);
CPPC_FORTRAN_HANDLES(CPPC_DECLARE)
#undef CPPC_DECLARE

/// The other way round. Of a number that stands for nothing: a handle that MPI takes for invalid.
template <FortranHandle Handle>
Handle from_fortran(MPI_Fint number);

}  // namespace cppc::mpi
