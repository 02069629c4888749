/// Another program, run to its end: what it printed, and how it ended.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::health {

using tools::Result;

struct Finished {
  int status = -1;  ///< exit status, or 128 + signal
  std::string output, errors;
};

/// Searched in PATH, with nothing on its standard input. After `limit`, or when `stop` says so, it is terminated with
/// all that it has started: that, that it cannot be started, and more output than a few megabytes is an error.
Result<Finished> run_command(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                             const std::stop_token& stop = {});

}  // namespace cppc::health
