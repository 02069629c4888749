/// Linking: as the compiler would; if the result is a program that the translator can make movable, once more.
#pragma once

#include "command_line.hpp"
#include "process.hpp"

namespace cppc::driver {

/// Links, and compiles first what is given as source, as `line` says. The exit status.
Result<int> link(const CommandLine& line, Runner& runner);

}  // namespace cppc::driver
