#include "processors.hpp"

#include <sched.h>
#include <spdlog/fmt/fmt.h>

#include <fstream>

namespace cppc::migration {

std::string oversubscription(std::size_t ranks, std::size_t processors, const std::string& autogroups) {
  if (ranks <= processors) return "";
  const std::string state = autogroups.empty() ? "not there" : autogroups == "0" ? "off" : "on";
  return fmt::format(
      "{} ranks on {} processors, autogroups of the scheduler {}{}", ranks, processors, state,
      state == "on" ? ": ranks may stand still for minutes (sysctl kernel.sched_autogroup_enabled=0)" : "");
}

std::string oversubscription(std::size_t ranks) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return "";
  std::string autogroups;
  std::ifstream("/proc/sys/kernel/sched_autogroup_enabled") >> autogroups;
  return oversubscription(ranks, static_cast<std::size_t>(CPU_COUNT(&allowed)), autogroups);
}

}  // namespace cppc::migration
