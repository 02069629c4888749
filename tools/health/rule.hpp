/// What is to be done about notices, as the configuration has it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "notice.hpp"

namespace cppc::health {

/// What comes first is weaker.
enum class Action { log, avoid, evacuate };

const char* text(Action action);

struct Rule {
  std::string source, severity, node;         ///< patterns as the shell has them; empty: any
  std::map<std::string, std::string> labels;  ///< patterns of labels that have to be there
  Action action = Action::log;
  std::chrono::milliseconds deadline{};  ///< from when it was first said
  bool deadline_from_notice = false;     ///< unless the notice says it
  std::chrono::milliseconds hold{};      ///< so long it has to fire before anything is done
  std::chrono::milliseconds clear{};     ///< so long it has to be resolved before it counts as gone
  int line = 0;                          ///< of the configuration
};

bool matches(const Rule& rule, const Notice& notice);

/// The first that matches; null: none does.
const Rule* rule_for(const std::vector<Rule>& rules, const Notice& notice);

}  // namespace cppc::health
