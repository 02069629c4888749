/// Whose memory is asked for before main(): constructors of the program's libraries, those of MPI's, and the dynamic
/// linker all run outside of the program's time.
#pragma once

namespace cppc::address {

/// Whether a call that will return to this address is made for the program. Asked for each call outside of its time,
/// from the dynamic linker's first on: it allocates nothing and takes hardly any time.
bool startup_call_is_programs(const void* return_address);

}  // namespace cppc::address
