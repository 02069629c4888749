/// The program's environment. Its strings lie in the program's memory from before main(), so that what getenv() gave
/// and main's third argument stay good when the rank moves. In another process the variables are those that the program
/// had, in the same places if these are the program's; what tells MPI, its plugins and CPPC Live about the process is
/// that process's own. `environ` itself becomes another array.
#pragma once

#include <cstdint>
#include <optional>

#include "bytes.hpp"
#include "cppc/status.h"

namespace cppc::address::environment {

/// Before main(), once the program's heap has started, in a process that takes nothing over: copies the strings, and
/// the array twice. What main() is to get, in the program's memory; `environ` is the process's.
char** start();

/// Whether the place is in the array `environ`, which may lie in the program's memory since the program has called
/// setenv(). In another process there will be a new one.
bool holds(const void* place);

/// How many bytes from the beginning of the array `environ`; nothing outside of it, or if it is the program's memory.
std::optional<std::uint64_t> place_in_array(const void* address);

/// After prepare(): likewise in the array that `environ` is to be.
std::uintptr_t address_in_next_array(std::uint64_t place);

cppc_status write(ByteWriter& writer);

/// CPPC_ERR_IMAGE when it is none; not logged.
cppc_status prepare(ByteReader& reader);

/// When the program's memory is there.
void apply();

}  // namespace cppc::address::environment
