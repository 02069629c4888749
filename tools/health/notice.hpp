/// What a source says about a node: that something is wrong with it, or not any more.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::health {

using tools::Result;

struct Notice {
  std::string key;     ///< what is the same thing, said again; of one source
  std::string source;  ///< "alertmanager", "slurm-drain", "aws-spot", "manual", ...
  std::string node;
  std::string reason;    ///< for people
  std::string severity;  ///< "warning", "critical", ...; may be empty
  std::map<std::string, std::string> labels;
  std::optional<double> deadline_s;  ///< time left, in seconds, from when it is said
  bool firing = true;                ///< otherwise it is resolved
};

/// {"key","source","node","reason","severity","deadline","state","labels"}: the first three have to be there, the
/// source unless `source` says it. "deadline" is a number of seconds, "state" is "firing" (the default) or "resolved".
Result<Notice> notice_from(const nlohmann::json& object, const std::string& source = "");
nlohmann::json to_json(const Notice& notice);

/// One notice or a list of them, as JSON.
Result<std::vector<Notice>> notices_in(const std::string& text);

/// What Alertmanager posts to a webhook, version 4. The node is the label "node", or the host of "instance"; an
/// annotation "deadline_s" says how much time is left.
Result<std::vector<Notice>> notices_of_alertmanager(const std::string& text);

/// Whether this may be a node's name: notices come from anywhere, and it becomes an argument of commands.
bool is_node_name(const std::string& name);

}  // namespace cppc::health
