/// What the system allows the process and takes for granted for it: resource limits, priority, the mode mask for new
/// files, the working directory.
///
/// A limit or a priority that the program has changed since its start is needed in another process. One that it has not
/// changed comes with the launch: it is set again where the node allows it.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::limits {

/// Before main(): notes what the process has.
void start();

/// CPPC_ERR_UNSUPPORTED, logged, when the working directory has no name any more.
cppc_status write(ByteWriter& writer);

/// Goes to the directory. CPPC_ERR_UNSUPPORTED, logged by name, when that does not exist here, or when this process may
/// not have a limit or a priority that the program has set.
cppc_status prepare(ByteReader& reader);

void apply();

}  // namespace cppc::address::limits
