/// The beginning of a process that takes over a rank.
#pragma once

namespace cppc {

/// The program will not initialize MPI: it goes on at its safe point. Ends the process when that fails.
void init_mpi_of_replacement(int* argc, char*** argv);

}  // namespace cppc
