#include "status.hpp"

#include <cstdio>

#include "progress.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;

std::string row(const std::string& node, const std::string& state, const std::string& slots, const std::string& memory,
                const std::string& ranks) {
  char text[256];
  std::snprintf(text, sizeof text, "  %-20s %-10s %5s %12s  ", node.c_str(), state.c_str(), slots.c_str(),
                memory.c_str());
  return text + ranks + "\n";
}

// "3 (moving) 5 (finished) 8": the state only when it is not the usual one.
std::string ranks_on(const json& node, const json& ranks) {
  std::string text;
  for (const json& number : list(node, "ranks")) {
    const std::size_t rank = number.is_number_unsigned() ? number.get<std::size_t>() : ranks.size();
    const std::string state = rank < ranks.size() ? migrate::text(ranks[rank], "state") : "";
    text += (text.empty() ? "" : " ") + number.dump() + (state.empty() || state == "running" ? "" : " (" + state + ")");
  }
  return text;
}

// "  migration 3, evacuate node1, by root at 2026-11-22T19:47:10.893Z, done: fan 3 fails"
std::string by_other(const json& migration) {
  const std::string node = text(migration, "evacuate"), why = text(migration, "why");
  return "  migration " + std::to_string(whole_number(migration, "id")) + ", " + text(migration, "kind") +
         (node.empty() ? "" : " " + node) + ", by " + text(migration, "by") + " at " + text(migration, "requested_at") +
         ", " + text(migration, "state") + (why.empty() ? "" : ": " + why) + "\n";
}

}  // namespace

std::string describe(const RunningJob& job) {
  const json& description = job.description;
  std::string result = "job " + job.id + ": " + text(description, "program") + ", " + text(description, "state") +
                       ", process " + std::to_string(whole_number(description, "pid")) +
                       (job.user.empty() ? "" : " of " + job.user) + "\n";
  result += row("node", "state", "slots", "free memory", "ranks");
  for (const json& node : list(description, "nodes")) {
    result += row(text(node, "node"), text(node, "state"), std::to_string(whole_number(node, "slots")),
                  megabytes(number(node, "memory_free")), ranks_on(node, list(description, "ranks")));
  }
  for (const json& one : list(description, "by_others")) result += by_other(one);
  return result;
}

}  // namespace cppc::migrate
