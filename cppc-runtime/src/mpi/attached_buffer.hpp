/// The buffer of MPI_Buffer_attach, which a replacement attaches again.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::mpi {

/// The number of the block in the tracked heap that says where the buffer is; 0: none is attached.
void write_attached_buffer(ByteWriter& writer);

/// In a replacement, once the heap is restored: attaches the buffer that the block of this number describes.
/// CPPC_ERR_IMAGE or CPPC_ERR_MPI, logged.
cppc_status attach_again(std::uint64_t block);

}  // namespace cppc::mpi
