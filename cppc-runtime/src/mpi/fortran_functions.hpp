/// Functions of a program in Fortran that MPI calls.
#pragma once

#include <mpi.h>

namespace cppc::mpi::fortran {

/// A function of C that calls `function`, an operation, as Fortran does: with a number for the datatype. Ends the job
/// when there are too many.
MPI_User_function* calling(MPI_User_function* function);

}  // namespace cppc::mpi::fortran
