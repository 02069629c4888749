/// Libraries that the program opens while it works. They are not carried: another process would have to put them at the
/// same addresses.
#pragma once

#include "cppc/status.h"

namespace cppc::address::libraries {

/// CPPC_ERR_UNSUPPORTED, logged by name, when one of them is open.
cppc_status check();

}  // namespace cppc::address::libraries
