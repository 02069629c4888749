/// Linking: as the compiler would, and a program that calls MPI with libcppc, so that its ranks can be moved.
///
/// By default its state is kept by address: it lies at a fixed place, has its languages' runtimes inside if possible,
/// and says so by the symbol cppc_by_address; what the translator finds out about C is an extra. --portable programs
/// are what the translator makes of them, or else the compiler's own.
#pragma once

#include "command_line.hpp"
#include "process.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// Links, and compiles first what is given as source, as `line` says. The exit status.
Result<int> link(const CommandLine& line, const Wrapper& wrapper, Runner& runner);

}  // namespace cppc::driver
