/// Clocks that count from the start of a node or of a process: for the program they go on when it does so in another
/// one, and never run backwards. MPI's is mpi/clock.hpp.
#pragma once

#include <time.h>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::clocks {

/// What the system's clock shows when the program's shows `time`; never zero, which means no time at all. Any thread,
/// signal handlers too.
timespec system_time(clockid_t clock, const timespec& time);

cppc_status write(ByteWriter& writer);
cppc_status prepare(ByteReader& reader);
void apply();

}  // namespace cppc::address::clocks
