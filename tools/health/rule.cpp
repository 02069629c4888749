#include "rule.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace cppc::health {
namespace {

bool fits(const std::string& pattern, const std::string& value) {
  return pattern.empty() || fnmatch(pattern.c_str(), value.c_str(), 0) == 0;
}

}  // namespace

const char* text(Action action) {
  switch (action) {
    case Action::log:
      return "log";
    case Action::avoid:
      return "avoid";
    case Action::evacuate:
      break;
  }
  return "evacuate";
}

bool matches(const Rule& rule, const Notice& notice) {
  return fits(rule.source, notice.source) && fits(rule.severity, notice.severity) && fits(rule.node, notice.node) &&
         std::ranges::all_of(rule.labels, [&](const auto& wanted) {
           const auto found = notice.labels.find(wanted.first);
           return found != notice.labels.end() && fits(wanted.second, found->second);
         });
}

const Rule* rule_for(const std::vector<Rule>& rules, const Notice& notice) {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) { return matches(rule, notice); });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace cppc::health
