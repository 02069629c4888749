/// What a program has been told by MPI_Init.
#pragma once

#include "bytes.hpp"

namespace cppc::mpi {

/// A replacement initialises MPI in its own way: the program keeps the level of threads that it was given.
void write_thread_level(ByteWriter& writer);
void read_thread_level(ByteReader& reader);

}  // namespace cppc::mpi
