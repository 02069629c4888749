/// What the kernel keeps of a process besides its limits: how it is scheduled, the slack of its timers, the priority of
/// its input and output, where its memory comes from, what prctl() has set.
///
/// What the program has changed since its start is needed in another process. What it has not changed comes with the
/// launch.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::attributes {

/// Before main(): notes what the process has.
void start();

cppc_status write(ByteWriter& writer);

/// Sets them at once: whether that is allowed depends on much. CPPC_ERR_UNSUPPORTED, logged by name, when it is not.
cppc_status prepare(ByteReader& reader);

}  // namespace cppc::address::attributes
