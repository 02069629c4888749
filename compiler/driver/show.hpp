/// -show and -showme: what the wrapper would do, for people and for build systems.
#pragma once

#include <span>
#include <string>

#include "process.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// Whether the first argument asks for it, as with mpicc.
bool asks_to_show(std::span<const std::string> arguments);

/// Prints the answer. The exit status.
Result<int> show(std::span<const std::string> arguments, const Wrapper& wrapper, Runner& runner);

}  // namespace cppc::driver
