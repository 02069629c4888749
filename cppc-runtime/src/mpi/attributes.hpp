/// What MPI says of the launch: attributes of MPI_COMM_WORLD, which the program's own world does not have.
#pragma once

#include <mpi.h>

#include "bytes.hpp"

namespace cppc::mpi {

/// Answers MPI_Comm_get_attr() for `keyval` on the world or a communicator of the table; false when it is no attribute
/// of MPI's own. The world and its duplicates have them.
bool launch_attribute(MPI_Comm comm, int keyval, void* value, int* flag);

/// `made` is a duplicate of `comm`, or its communicator has been freed.
void copy_launch_attributes(MPI_Comm comm, MPI_Comm made);
void forget_launch_attributes(MPI_Comm made);

/// In a replacement the launch was another one, and communicators made again are no duplicates: the program keeps the
/// answers that it has had.
void write_launch(ByteWriter& writer);
void read_launch(ByteReader& reader);

}  // namespace cppc::mpi
