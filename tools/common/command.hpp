/// Runs a program of somebody else's that answers by what it prints.
#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "result.hpp"

namespace cppc::tools {

/// By name; of this process or for another.
using Environment = std::map<std::string, std::string>;

Environment present_environment();

/// As one word of a shell's.
std::string quoted(const std::string& word);

struct CommandOutput {
  int status = 0;  ///< exit status, or 128 + signal
  std::string output, errors;
};

/// Runs `words[0]` (searched in $PATH) with `environment`, without input, and waits for it. It is killed after `limit`,
/// or when a stop is requested; then, or if it cannot be started, an error that names it. Thread-safe.
Result<CommandOutput> run_command(const std::vector<std::string>& words, const Environment& environment,
                                  std::chrono::milliseconds limit, const std::stop_token& stop = {});

}  // namespace cppc::tools
