/// The command line of Open MPI 4.1's mpirun: its options and how many values each takes, so that the program's place
/// in it is found, and what cppc-run has to know about some of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../common/result.hpp"

namespace cppc::run {

using tools::Result;

struct Option {
  std::string name;  ///< without dashes, aliases replaced: one of np, host, hostfile, npernode, ...
  std::vector<std::string> values;
};

/// What stands between two ":" on the command line.
struct Context {
  std::vector<Option> options;
  std::vector<std::string> program;  ///< with its arguments; not empty

  const Option* find(std::string_view name) const;  ///< the last one of that name, or nullptr
};

/// Takes the arguments apart as mpirun does. Errors: an option that mpirun does not know, a value or a program that is
/// missing.
Result<std::vector<Context>> parse_command_line(std::span<const std::string> arguments);

/// Refuses by name an option that cppc-run's own way of using mpirun rules out.
Result<void> check_supported(std::span<const Context> contexts);

/// An option that a second mpirun of the same job would not go on with, and why: "--timeout: ..."; empty: there is
/// none.
std::string option_that_begins_anew(std::span<const Context> contexts);

/// The value that the command line gives to MCA parameter `name`, in any context.
std::optional<std::string> mca_value(std::span<const Context> contexts, std::string_view name);

}  // namespace cppc::run
