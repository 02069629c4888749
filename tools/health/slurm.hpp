/// What Slurm says about its nodes, as notices.
#pragma once

#include <set>

#include "notice.hpp"

namespace cppc::health {

/// The source of its notices.
inline constexpr const char* slurm_drain = "slurm-drain";
/// What the reason begins with of nodes that cppc-health has drained: they need no notice.
inline constexpr const char* own_reason = "cppc: ";

struct SlurmNodes {
  std::set<std::string> all;
  std::map<std::string, std::string> draining;  ///< and failing, still with jobs: the reason by node
  std::set<std::string> drained;                ///< and failed: no jobs are left
};

/// One request for all nodes, whose output parse_sinfo() takes.
std::vector<std::string> sinfo_command();
Result<SlurmNodes> parse_sinfo(const std::string& output);

/// What is new, when `firing` is what has been said before. Nodes that drain fire until they are neither draining nor
/// drained.
std::vector<Notice> slurm_notices(const SlurmNodes& nodes, const std::vector<Notice>& firing);

}  // namespace cppc::health
