/// Faults at every step of a migration, in every process that takes part: what becomes of the job, and how soon.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fault_case.hpp"

namespace {

using namespace cppc::test;

const char* text(Fate fate) {
  return fate == Fate::rolled_back ? "rolled back" : fate == Fate::committed ? "committed" : "ended";
}

class Tally {
 public:
  void add(const FaultCase& one, const FaultResult& result) {
    const std::lock_guard lock(mutex_);
    const bool bad = result.lost(one) || !result.right || !result.left.empty() || result.forgot(one);
    std::printf("%-48s %-12s %8.1f%s\n", one.name().c_str(), text(result.fate), result.seconds, bad ? "  BAD" : "");
    if (bad) std::printf("%s%s", result.said.c_str(), result.left.c_str());
    std::fflush(stdout);
    ++cases_;
    ++fates_[result.fate];
    lost_ += result.lost(one) ? 1 : 0;
    wrong_ += result.right ? 0 : 1;
    leftovers_ += result.left.empty() ? 0 : 1;
    forgotten_ += result.forgot(one) ? 1 : 0;
    images_ += result.images;
    if (result.fate != Fate::ended) longest_ = std::max(longest_, result.seconds);
  }

  /// Prints the sums; the exit status.
  int conclude() {
    std::printf(
        "{\"bench\":\"faults\",\"cases\":%d,\"rolled_back\":%d,\"committed\":%d,\"ended\":%d,\"lost\":%d,"
        "\"wrong_results\":%d,\"leftovers\":%d,\"recovery_s_max\":%.1f,\"last_images\":%d,"
        "\"images_missing\":%d}\n",
        cases_, fates_[Fate::rolled_back], fates_[Fate::committed], fates_[Fate::ended], lost_, wrong_, leftovers_,
        longest_, images_, forgotten_);
    return lost_ == 0 && wrong_ == 0 && leftovers_ == 0 && forgotten_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  std::mutex mutex_;
  std::map<Fate, int> fates_;
  int cases_ = 0, lost_ = 0, wrong_ = 0, leftovers_ = 0, images_ = 0, forgotten_ = 0;
  double longest_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  unsigned at_once = std::max(1U, std::thread::hardware_concurrency());
  CLI::App options{"Lets processes fail at every step of a migration."};
  options.add_option("--only", only, "cases whose name contains this");
  options.add_option("--at-once", at_once, "cases at a time, each on a cluster of its own: they mostly wait")
      ->check(CLI::Range(1, 64));
  CLI11_PARSE(options, argc, argv);
  std::vector<FaultCase> cases = all_fault_cases();
  std::erase_if(cases, [&](const FaultCase& one) { return one.name().find(only) == std::string::npos; });

  std::printf("%-48s %-12s %8s\n", "fault", "the job", "s");
  Tally tally;
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> workers(at_once);
    for (auto& worker : workers)
      worker = std::jthread([&] {
        for (std::size_t i = next++; i < cases.size(); i = next++) tally.add(cases[i], run(cases[i]));
      });
  }
  return tally.conclude();
}
