/// Libraries that the program opens while it works, by dlopen(): they are carried as those that it is linked with. What
/// cannot be: libraries in namespaces of their own, and other allocators.
#pragma once

#include <cstdint>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::libraries {

/// CPPC_ERR_UNSUPPORTED, logged by name, when one that cannot be carried is open, or another allocator has given the
/// program memory.
cppc_status check();

/// Before anything is opened, when the objects at the start are noted.
void start();

/// What the program has opened before MPI starts, in a file without a name that other processes can read
/// (CPPC_OPENED_LIBRARIES_FILE in cppc/hooks.h), until the process ends: a replacement opens these before it starts MPI
/// itself, which may need some of them, too, and would have the dynamic linker put them elsewhere.
void publish();

/// In a replacement, before it starts MPI: opens what is published, as its environment has it. What cannot be opened is
/// left to open_again().
void open_published();

/// Whether the program opens one at this moment, so that constructors may be at work.
bool is_loading();

/// Which ones are open, for another process.
void write(ByteWriter& out);

/// Opens them where they were. Their constructors work once more, on what the program's state replaces afterwards.
/// CPPC_ERR_MISMATCH, logged by name, for one that is not there.
cppc_status open_again(ByteReader& in);

/// After that, when memory has come to its places.
cppc_status complete();

/// One that every process of the program has from its start: its record is a handle from now on, as where the program
/// had it from dlopen().
void is_handle(std::uintptr_t record);

}  // namespace cppc::address::libraries
