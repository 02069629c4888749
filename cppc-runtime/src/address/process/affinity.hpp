/// The processors on which the main thread may run, if the program has chosen them. What mpirun has bound it to is
/// the node's matter.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::affinity {

/// CPPC_ERR_SYSTEM, logged.
cppc_status write(ByteWriter& writer);

/// Binds the calling thread alike. CPPC_ERR_UNSUPPORTED, logged, if these processors are not all here; CPPC_ERR_IMAGE.
cppc_status prepare(ByteReader& reader);

}  // namespace cppc::address::affinity
