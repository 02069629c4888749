/// Files that a --portable program has open by their numbers: open() is not repeated in another process, so they are
/// refused. One thread, outside of safe points' critical sections.
#pragma once

#include <span>
#include <string>

#include "cppc/status.h"

namespace cppc::c_library {

/// After MPI has started: what is open by then, as what the process was started with, is not the program's.
void note_open_files();

/// CPPC_ERR_UNSUPPORTED, logged by number and path, when the program has a file open that is neither a stream's nor one
/// of MPI's, whose paths are `of_mpi`.
cppc_status refuse_open_files(std::span<const std::string> of_mpi);

}  // namespace cppc::c_library
