/// What a command takes.
#pragma once

#include <string>
#include <vector>

namespace cppc::bench {

struct Cost {
  int status = -1;  ///< exit status, or 128 + signal
  double seconds = 0;
  double megabytes = 0;  ///< resident, at most, of the command and those that it starts
  std::string errors;    ///< standard error
};

/// Runs it to its end, without input; its output is dropped. Ends the process with a message when it cannot be started.
Cost cost_of(const std::vector<std::string>& command);

}  // namespace cppc::bench
