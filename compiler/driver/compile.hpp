/// -c: the compiler's own object, with the command inside if it is C.
#pragma once

#include "command_line.hpp"
#include "process.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// The compiler with what it is told before all else, and when a source is translated as well: code for a program at a
/// fixed place, which the user's options may take back, and no C++ interface of MPI's.
std::vector<std::string> compiler_for(const CommandLine& line, const Wrapper& wrapper);

/// Compiles as `line` says. The exit status.
Result<int> compile(const CommandLine& line, const Wrapper& wrapper, Runner& runner);

}  // namespace cppc::driver
