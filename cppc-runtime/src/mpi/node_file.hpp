/// A file as this node sees it by its path: what has to be the same on another node before MPI opens it there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::mpi {

/// What is under a path. Nothing is: all zero.
struct NodeFile {
  dev_t device = 0;
  ino_t number = 0;
  bool regular = false;

  static NodeFile at(const std::string& path);
};

bool writable(int mode);  ///< `mode` as for MPI_File_open

/// The size of a file that was `opened`, once what this node has written to it is where other nodes see it; of none
/// that is regular 0. CPPC_ERR_UNSUPPORTED, logged by name, when another process would not find it under its path.
tl::expected<std::int64_t, cppc_status> flush(const std::string& path, int mode, const NodeFile& opened);

/// In a replacement: whether MPI will be able to open the file. CPPC_ERR_UNSUPPORTED, logged by name, when it is not
/// there, or another one.
cppc_status check(const std::string& path, int mode, std::int64_t size);

}  // namespace cppc::mpi
