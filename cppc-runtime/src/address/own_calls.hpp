/// What libcppc calls in the C library when the program has functions of the same names (such as random(), link() or
/// truncate(), which C leaves to programs). The dynamic linker prefers the program's for all libraries; the C library
/// itself never calls them, and neither must libcppc.
#pragma once

namespace cppc::address {

/// Directs the calls of all loaded libraries of libcppc to the C library. Before the program's constructors; again when
/// another of these libraries has been loaded. Ends the process with a message when the system does not allow it.
void direct_own_calls_to_c_library();

}  // namespace cppc::address
