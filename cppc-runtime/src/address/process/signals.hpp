/// The program's share of what the system knows about signals: its handlers and what it ignores, the main thread's mask
/// and alternate stack, and signals that wait to be unblocked.
///
/// A handler is the program's when its code is carried. SIG_IGN and SIG_DFL are when they are not what the process had
/// before main(). Handlers of MPI, of its libraries and of the runtime stay the process's.
///
/// Of a signal that waits, the number is carried: what sigqueue() sent with it is not, and a real-time signal that
/// waits more than once becomes one. Signals that others send to a process that has been captured are lost with it.
#pragma once

#include <signal.h>

#include <array>
#include <cstdint>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::signals {

/// What threads of the process take: errors of their own, and what an extension has to hear while a rank moves.
inline constexpr std::array taken_by_process{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGCONT};

/// Before main(): notes what the process has.
void start();

/// MPI has been started: its handlers of errors, which do not return, work outside the program's time. The program may
/// be anywhere then, with a damaged heap for instance.
void mpi_started();

/// From now on the main thread takes no signals that the program handles: its handlers must not run between the capture
/// and its end. Other threads of the process never take them (threads.hpp). Until release(), which gives the main
/// thread back its mask: the one it had or, after apply(), the captured one.
void hold();
void release();

/// Those that wait to be unblocked, a bit each; ends the process when the system does not say.
std::uint64_t waiting();

/// Whether the main thread, which has this mask, may be in a handler of the program's: one of the signals that it
/// handles is blocked, or would not be. Safe in signal handlers.
bool may_be_in_handler(const sigset_t& mask);

/// After hold(). CPPC_ERR_UNSUPPORTED, logged, when a handler or the alternate stack lies where nothing is carried, or
/// the thread stands on that stack.
cppc_status write(ByteWriter& writer);

/// CPPC_ERR_IMAGE when it is none; not logged.
cppc_status prepare(ByteReader& reader);

/// Ends with all signals held. Signals that wait come with release().
void apply();

/// The process ends without the program: what has a handler of the program is ignored.
void leave();

}  // namespace cppc::address::signals
