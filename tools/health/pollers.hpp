/// Sources that have to be asked again and again, each on a thread of its own, as long as this lives.
#pragma once

#include "daemon.hpp"

namespace cppc::health {

class Pollers {
 public:
  /// Those of the cluster: Slurm and commands. Slurm's nodes are the daemon's from when it has answered.
  Pollers(Daemon& daemon, const Configuration& configuration);

 private:
  std::vector<std::jthread> threads_;
};

/// Calls `poll` now and `every` so often until it is to stop.
void repeat(Time every, const std::stop_token& stop, const std::function<void()>& poll);

/// The notices that a command has printed, a JSON object a line; what is wrong goes to `failure`.
std::vector<Notice> notices_printed(const std::string& output, const std::string& source, std::string& failure);

}  // namespace cppc::health
