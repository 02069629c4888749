/// The descriptors of a program whose state is kept by address: which numbers are its own, and having the same files
/// open under them in another process.
///
/// A number that is given out in the program's time is the program's. 0, 1 and 2 are the process's, as mpirun made
/// them, until the program closes them or puts something else there. What two numbers share by dup() is shared again.
/// Carried: regular files and directories by their paths, /dev/null and its like, and with their contents files that
/// the program has created and deleted, as those of tmpfile() and Fortran's scratch files. All else is refused by name.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::descriptors {

// ---- What the interposed functions tell: async-signal-safe, any thread ----

/// The number leads to something new. Nothing for numbers below 0, as failed calls return them.
void opened(int number);
/// The same, of a file that did not exist before.
void created(int number);
void duplicated(int from, int to);
/// To be told before it is closed: the next moment it may be another's.
void closed(int number);
/// Before dup2() closes `to`; it may fail.
void replaced(int from, int to);

// ---- Moving to another process: one thread, outside the program's time ----

/// Changes nothing. CPPC_ERR_UNSUPPORTED, logged with number and path, for what cannot be carried; CPPC_ERR_SYSTEM when
/// what was written cannot be brought to a file system that nodes share.
cppc_status write(ByteWriter& out);

/// In the new process, whose reserved numbers are still reserved. Errors are logged and leave a process that cannot go
/// on with the program: CPPC_ERR_NOT_FOUND and CPPC_ERR_MISMATCH for files that are not as they were, CPPC_ERR_STATE
/// for a number that MPI uses, CPPC_ERR_IMAGE.
cppc_status open_again(ByteReader& in);

/// Locks by flock(), as HDF5 takes them: in the process that is left, and in the new one, which waits for it for some
/// seconds. CPPC_ERR_REFUSED, logged, when somebody else has the lock.
void release_locks();
cppc_status lock_again();

/// After MPI has started: what is open and not the program's is the process's. Errors are logged.
void note_numbers_of_process();

/// Before MPI starts: occupies the low numbers, so that MPI's own are above. release_numbers(): after MPI has started;
/// in a new process after open_again().
void reserve_numbers();
void release_numbers();

}  // namespace cppc::address::descriptors
