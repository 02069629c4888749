/// The state that a process has besides its memory: one list of its parts. The order of calls is
///
///     in all:         end_of_constructors(), of the program's libraries; start() before main(), once the program's
///                     heap has started; mpi_starts() and mpi_started() around MPI_Init
///     in the source:  hold(), write(), then release() if the program goes on here, or leave()
///     in another one: prepare(); with the program's memory in its places, complete(); both may refuse. When the rank
///                     is in its world, apply(), and at the very end release(): from then on the program's signal
///                     handlers run
///
/// All of them on the main thread, outside program time; none in signal handlers. The program's memory is to be
/// captured after write(), which notes some things there.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::process {

/// Ends the threads that libraries keep: a process that takes over has those that another one has begun.
void end_of_constructors();

/// `takes_over`: the program's memory is another process's, and comes with apply(). Otherwise gives the environment for
/// main().
char** start(bool takes_over);

/// Signals that the program handles wait from now on, and errno and the floating-point state are noted. The first thing
/// when the program stops.
void hold();

/// The last thing before the program goes on: gives the thread errno, floating-point state and signal mask, and OpenMP
/// the threads that had something of their own.
void release();

/// After hold(). Changes nothing that the program sees, but for ending the threads that libraries keep. All that cannot
/// be carried over is logged by name; then the status is that of the first.
cppc_status write(ByteWriter& writer);

/// Descriptors of MPI get high numbers, so that those of a program that comes are free. In a process that takes over,
/// they are kept free until complete().
void mpi_starts();
void mpi_started();

/// Errors are logged. After one, this process cannot take over; nothing is undone.
cppc_status prepare(ByteReader& reader);
cppc_status complete();

/// Ends the process when the system refuses what it has to allow.
void apply();

/// The process is going to end without the program: its timers, handlers and exit handlers have no effect here any
/// more.
void leave();

}  // namespace cppc::address::process
