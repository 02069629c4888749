/// Whose memory is asked for before main(): constructors of the program's libraries, those of MPI's, and the dynamic
/// linker all run outside of the program's time.
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::address {

/// Whether a call that will return to this address is made for the program. Asked for each call outside of its time,
/// from the dynamic linker's first on: it takes hardly any time, and memory from the C library only.
bool startup_call_is_programs(const void* return_address);

/// From now on no call is.
void end_of_startup();

/// That has been said.
extern constinit bool startup_over;

/// Where the dynamic linker lies. Nowhere until end_of_startup().
struct DynamicLinker {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;
};
extern constinit DynamicLinker dynamic_linker;

/// Whether a call that will return to this address is the dynamic linker's: it keeps account of libraries for the
/// process, in the program's time, too.
inline bool is_dynamic_linkers(const void* return_address) {
  return reinterpret_cast<std::uintptr_t>(return_address) - dynamic_linker.begin < dynamic_linker.bytes;
}

/// Starts the program's heap, unless a library's constructor has needed it before.
tl::expected<void, cppc_status> start_heap();

}  // namespace cppc::address
