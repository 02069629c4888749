/// How the system saves what a thread has in its registers when a signal interrupts it. In a process that goes on
/// there, the system takes them from the program's stack as it would have saved them itself, and passes over what it
/// does not know: so it has to be the same.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::saved_registers {

/// Whether the program is stopped in a signal's handler, to whose end it will return.
inline constinit bool on_stack = false;

cppc_status write(ByteWriter& writer);

/// CPPC_ERR_MISMATCH, logged, when they are on the program's stack, and this node saves them otherwise. CPPC_ERR_IMAGE
/// when it is none; not logged.
cppc_status prepare(ByteReader& reader);

}  // namespace cppc::address::saved_registers
