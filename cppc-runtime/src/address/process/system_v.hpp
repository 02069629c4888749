/// Shared memory, semaphores and message queues of System V: the system of one node keeps them, by a number.
#pragma once

#include "cppc/status.h"

namespace cppc::address::system_v {

/// CPPC_ERR_UNSUPPORTED, logged, for the first of them that the program has asked for and that is still there, or still
/// mapped.
cppc_status check();

}  // namespace cppc::address::system_v
