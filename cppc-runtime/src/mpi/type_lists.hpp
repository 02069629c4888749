/// Lists with a datatype for each rank, of collective operations.
#pragma once

#include <mpi.h>

#include "mpi/program_list.hpp"

namespace cppc::mpi {

using Types = ProgramList<MPI_Datatype>;

/// MPI may look at the list as long as a request goes on: one of all different lists, which stay.
const MPI_Datatype* kept(Types types);

/// How many processes a collective operation of `comm`, the program's, sends to and receives from.
int partners(MPI_Comm comm);

struct Neighbours {
  int sources = 0, destinations = 0;
};

/// Of a communicator with a topology; none of others.
Neighbours neighbours(MPI_Comm comm);

}  // namespace cppc::mpi
