/// Functions of the program that MPI calls for its operations.
#pragma once

#include <mpi.h>

namespace cppc::mpi {

/// A function of C that calls `function`, an operation, in the program's time and with the datatype that the program
/// knows; as Fortran does, with a number for it, if `fortran`. Ends the job when there are too many.
MPI_User_function* calling(MPI_User_function* function, bool fortran);

}  // namespace cppc::mpi
