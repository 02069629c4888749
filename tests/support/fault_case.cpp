#include "fault_case.hpp"

#include <ostream>
#include <regex>

#include "fault_run.hpp"

namespace cppc::test {

const char* text(Fate fate) {
  switch (fate) {
    case Fate::rolled_back:
      return "rolled back";
    case Fate::committed:
      return "committed";
    case Fate::ended:
      return "ended";
    case Fate::recovered:
      return "recovered";
  }
  return "unknown";
}

std::string FaultCase::name() const {
  constexpr const char* requests[]{"", " (evacuation)", " (checkpoint)", " (lost node)"};
  return place + ':' + action + requests[static_cast<int>(request)] +
         (shipped_deadlines ? " (shipped deadlines)" : "") +
         (recovers && !is_about_checkpoints() ? " (recovery)" : "") +
         (protection == FaultCase{}.protection ? "" : " (" + protection + ")");
}

void PrintTo(const FaultCase& one, std::ostream* out) { *out << one.name(); }

bool FaultResult::lost(const FaultCase& one) const {
  return (fate == Fate::ended) != (one.expected.fate == Fate::ended) || !whole;
}

bool FaultResult::unexpected(const FaultCase& one) const {
  return fate != one.expected.fate || status != one.expected.status ||
         !std::regex_search(messages, std::regex(one.expected.message));
}

bool FaultResult::forgot(const FaultCase& one) const {
  return fate == Fate::ended && one.expected.fate == Fate::ended && one.action == "hang" && images == 0;
}

std::string FaultResult::wrong(const FaultCase& one) const {
  std::string wrong;
  if (!struck) wrong += "the fault has not struck\n";
  if (unexpected(one))
    wrong += std::string(text(fate)) + " with status " + std::to_string(status) + " instead of " +
             text(one.expected.fate) + " with status " + std::to_string(one.expected.status) + " and /" +
             one.expected.message + "/\n";
  if (!right) wrong += "the program's result is wrong\n";
  if (!whole) wrong += "the job has not gone on from the checkpoint that it had to have\n";
  if (!retried)
    wrong += one.is_about_checkpoints() ? "a second checkpoint has failed\n" : "a second migration has failed\n";
  if (forgot(one)) wrong += "no last image that is good\n";
  return left.empty() ? wrong : wrong + "left behind:\n" + left;
}

FaultResult run(const FaultCase& one) {
  return one.is_about_checkpoints() ? run_in_checkpoint(one) : run_in_migration(one);
}

}  // namespace cppc::test
