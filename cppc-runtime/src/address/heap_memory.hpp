/// Memory of this process at the places of the program's heap. What is there belongs to the process and does not
/// travel: another one has mapped more, or less, and maps what it needs before bytes are put in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::address::heap {

/// Maps the roots, the tables, and as much for blocks as every program needs. Once in a process. Fails, and says why,
/// when something else lies there or the system has no memory.
tl::expected<void, cppc_status> map_places();

/// Sees to it that the first `units` units, and what the tables know about them, are mapped; false when there is no
/// memory. With the lock, but for a process that has one thread.
bool map_units(std::uint32_t units);

/// Whether they are.
bool is_mapped(std::uint32_t units);

/// Gives back the pages of the tables and of the first `used` units; nobody has written into others. All are zero then.
/// For a process that has one thread.
tl::expected<void, cppc_status> clear_places(std::uint32_t used);

/// Gives the pages of these units back to the system: they are zero then. False when it does not take them.
bool give_back(std::uint32_t first, std::uint32_t units);

}  // namespace cppc::address::heap
