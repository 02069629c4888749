/// Libraries that are not carried: those that the program opens while it works, which another process would have to put
/// at the same addresses, and other allocators.
#pragma once

#include <cstdint>

#include "cppc/status.h"

namespace cppc::address::libraries {

/// CPPC_ERR_UNSUPPORTED, logged by name, when one of them is open, or has given the program memory.
cppc_status check();

/// One that every process of the program has from its start: its record is a handle from now on, as where the program
/// had it from dlopen().
void open_again(std::uintptr_t record);

}  // namespace cppc::address::libraries
