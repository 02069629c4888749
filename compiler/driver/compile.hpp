/// -c: the compiler's own object, with the command inside.
#pragma once

#include "command_line.hpp"
#include "process.hpp"

namespace cppc::driver {

/// Compiles as `line` says. The exit status.
Result<int> compile(const CommandLine& line, Runner& runner);

}  // namespace cppc::driver
