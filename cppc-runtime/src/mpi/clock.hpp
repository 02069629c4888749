/// MPI_Wtime for the program: MPI's counts from the start of the node, the program's goes on when the rank moves.
#pragma once

#include "bytes.hpp"

namespace cppc::mpi {

/// Seconds; never less than before, in this process or in the one that it replaces.
double wall_time();

/// The time now, and where to go on from it: by the nodes' wall clocks.
void write_clock(ByteWriter& writer);
void read_clock(ByteReader& reader);

}  // namespace cppc::mpi
