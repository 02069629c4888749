/// What MPI says of the launch: attributes of MPI_COMM_WORLD, which the program's own world does not have.
#pragma once

#include "bytes.hpp"

namespace cppc::mpi {

/// Answers MPI_Comm_get_attr() for `keyval` on a communicator of the program; false when it is no attribute of MPI's
/// own. Every communicator has them, not only the world and its duplicates, since those made again are no duplicates.
bool launch_attribute(int keyval, void* value, int* flag);

/// In a replacement the launch was another one: the program keeps the answers it has had.
void write_launch(ByteWriter& writer);
void read_launch(ByteReader& reader);

}  // namespace cppc::mpi
