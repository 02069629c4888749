/// The program's keys for thread-specific data: their numbers are in its memory, so another process makes keys of the
/// same numbers, with the main thread's values. Those that constructors of its libraries make are among
/// them; keys that are made for MPI are the process's.
#pragma once

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::keys {

/// On the main thread; notes the values in the program's memory, which is to be captured after that.
cppc_status write(ByteWriter& writer);

/// Whether the calling thread has a value of one of the program's keys.
bool thread_has_values();

/// In a process in which the program begins: those of its libraries' constructors are its own.
void start();

/// In a process that takes the state over, before MPI and others make keys: those that the program may have are kept
/// free for it.
void reserve_numbers();

/// In such a process: CPPC_ERR_MISMATCH, logged, when a number is not free.
cppc_status prepare(ByteReader& reader);

/// On the main thread, when the program's memory is there: gives the keys their destructors and values.
void apply();

}  // namespace cppc::address::keys
