/// The program's timers: of setitimer() and alarm(), and those of timer_create(). They go on in another process with
/// the time that was left at the capture: the time in between does not count.
///
/// The number that timer_create() gives the program is the address of an entry in the program's memory, so it stays
/// what it is when the rank moves; calls with it come here. What a handler gets in si_timerid is the system's own
/// number.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::timers {

/// CPPC_ERR_UNSUPPORTED, logged, when there is a timer that starts threads, signals a certain thread or counts by the
/// clock of another. With signals held; what waits is to be looked at before and after (process_state.cpp).
cppc_status write(ByteWriter& writer);

/// CPPC_ERR_IMAGE when it is none; not logged.
cppc_status prepare(ByteReader& reader);

/// When the program's memory is there; after signals::apply().
void apply();

/// The process ends without the program: no timer of the program runs out in it any more.
void leave();

}  // namespace cppc::address::timers
