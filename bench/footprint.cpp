#include "footprint.hpp"

#include <algorithm>
#include <sstream>

namespace cppc::bench {

Footprint largest(const test::Cluster& cluster, const std::vector<std::string>& nodes, const std::string& program) {
  const std::string script =
      "for p in $*; do echo $(ls /proc/$p/fd | wc -l) $(sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\).*/\\1/p' "
      "/proc/$p/status); done";
  Footprint most;
  for (const auto& node : nodes) {
    std::vector<std::string> command{"sh", "-c", script, "sh"};
    for (const pid_t process : cluster.processes(node, program)) command.push_back(std::to_string(process));
    std::istringstream lines(cluster.run(node, command).output);
    long descriptors = 0;
    double kilobytes = 0;
    while (lines >> descriptors >> kilobytes) {
      most.descriptors = std::max(most.descriptors, descriptors);
      most.megabytes = std::max(most.megabytes, kilobytes / 1024);
    }
  }
  return most;
}

}  // namespace cppc::bench
