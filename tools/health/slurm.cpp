#include "slurm.hpp"

#include <algorithm>
#include <sstream>

namespace cppc::health {
std::vector<std::string> sinfo_command() { return {"sinfo", "-h", "-N", "-o", "%N|%t|%E"}; }

Result<SlurmNodes> parse_sinfo(const std::string& output) {
  SlurmNodes nodes;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find('|');
    const auto second = first == std::string::npos ? first : line.find('|', first + 1);
    if (second == std::string::npos)
      return tools::error("sinfo has printed \"" + line + "\", and not NODE|STATE|REASON");
    const std::string node = line.substr(0, first), state = line.substr(first + 1, second - first - 1);
    if (!is_node_name(node)) return tools::error("sinfo has printed \"" + node + "\" as the name of a node");
    nodes.all.insert(node);
    if (state.starts_with("drng") || state.starts_with("failg")) nodes.draining[node] = line.substr(second + 1);
    if (state.starts_with("drain") || state.starts_with("fail")) nodes.drained.insert(node);
  }
  if (nodes.all.empty()) return tools::error("sinfo knows no nodes");
  return nodes;
}

std::vector<Notice> slurm_notices(const SlurmNodes& nodes, const std::vector<Notice>& firing) {
  std::vector<Notice> notices;
  const auto fires = [&](const std::string& node) {
    return std::ranges::any_of(firing, [&](const Notice& one) { return one.node == node; });
  };
  for (const auto& [node, reason] : nodes.draining) {
    if (fires(node) || reason.starts_with(own_reason)) continue;
    Notice notice;
    notice.key = "drain:" + node;
    notice.source = slurm_drain;
    notice.node = node;
    notice.reason = reason == "none" ? "drained" : reason;
    notices.push_back(notice);
  }
  for (Notice notice : firing) {
    if (nodes.draining.contains(notice.node) || nodes.drained.contains(notice.node)) continue;
    notice.firing = false;
    notices.push_back(notice);
  }
  return notices;
}

}  // namespace cppc::health
