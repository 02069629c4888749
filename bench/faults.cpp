/// Faults at every step of a migration, in every process that takes part: what becomes of the job, and how soon.
///   --only TEXT   cases whose name contains it
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "fault_case.hpp"

namespace {

using namespace cppc::test;

const char* text(Fate fate) {
  return fate == Fate::rolled_back ? "rolled back" : fate == Fate::committed ? "committed" : "ended";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc == 3 && std::string(argv[1]) == "--only" ? argv[2] : "";
  std::map<Fate, int> fates;
  int cases = 0, lost = 0, wrong = 0, leftovers = 0;
  double longest = 0;
  std::printf("%-48s %-12s %8s\n", "fault", "the job", "s");
  for (const FaultCase& one : all_fault_cases()) {
    if (one.name().find(only) == std::string::npos) continue;
    const FaultResult result = run(one);
    const bool bad = result.lost(one) || !result.right || !result.left.empty();
    std::printf("%-48s %-12s %8.1f%s\n", one.name().c_str(), text(result.fate), result.seconds, bad ? "  BAD" : "");
    if (bad) std::printf("%s%s", result.said.c_str(), result.left.c_str());
    std::fflush(stdout);
    ++cases;
    ++fates[result.fate];
    lost += result.lost(one) ? 1 : 0;
    wrong += result.right ? 0 : 1;
    leftovers += result.left.empty() ? 0 : 1;
    if (result.fate != Fate::ended) longest = std::max(longest, result.seconds);
  }
  std::printf(
      "{\"bench\":\"faults\",\"cases\":%d,\"rolled_back\":%d,\"committed\":%d,\"ended\":%d,\"lost\":%d,"
      "\"wrong_results\":%d,\"leftovers\":%d,\"recovery_s_max\":%.1f}\n",
      cases, fates[Fate::rolled_back], fates[Fate::committed], fates[Fate::ended], lost, wrong, leftovers, longest);
  return lost == 0 && wrong == 0 && leftovers == 0 ? 0 : 1;
}
