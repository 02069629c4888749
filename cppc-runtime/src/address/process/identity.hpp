/// The user and the groups that a process runs as, what it may do, and its namespaces. Another process is started as
/// the user who started the job: it is not to get back what the program has given away, and what the program has become
/// it could not become for sure.
#pragma once

#include "cppc/status.h"

namespace cppc::address::identity {

/// Before main(): notes what the process has.
void start();

/// CPPC_ERR_UNSUPPORTED, logged, when the program has changed them since; CPPC_ERR_SYSTEM.
cppc_status check();

}  // namespace cppc::address::identity
