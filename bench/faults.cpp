/// Faults at every step of a migration, a checkpoint in memory and a recovery, in every process that takes part: what
/// becomes of the job, and how soon.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "fault_case.hpp"

namespace {

using namespace cppc::test;

class Tally {
 public:
  void add(const FaultCase& one, const FaultResult& result) {
    const std::lock_guard lock(mutex_);
    const std::string wrong = result.wrong(one);
    std::printf("%-64s %-12s %6d %8.1f%s\n", one.name().c_str(), text(result.fate), result.status, result.seconds,
                wrong.empty() ? "" : "  BAD");
    if (!wrong.empty()) std::printf("%s%s", wrong.c_str(), result.messages.c_str());
    std::fflush(stdout);
    const auto count = [this](const char* name, bool does) { counts_[name] += does ? 1 : 0; };
    count("cases", true);
    count("struck", result.struck);
    count("rolled_back", result.fate == Fate::rolled_back);
    count("committed", result.fate == Fate::committed);
    count("ended_expected", result.fate == Fate::ended && one.expected.fate == Fate::ended);
    count("recovered", result.fate == Fate::recovered);
    count("recovered_expected", one.expected.fate == Fate::recovered);
    count("lost", result.lost(one));
    count("unexpected", result.unexpected(one));
    count("wrong_results", !result.right);
    count("leftovers", !result.left.empty());
    count("retry_failed", !result.retried);
    count("images_missing", result.forgot(one));
    bad_ += wrong.empty() ? 0 : 1;
    images_ += result.images;
    longest_ = std::max(longest_, result.seconds);
  }

  /// Prints the sums; the exit status.
  int conclude() {
    nlohmann::ordered_json figures{{"bench", "faults"}};
    for (const char* name : {"cases", "struck", "rolled_back", "committed", "ended_expected", "recovered",
                             "recovered_expected", "lost", "unexpected", "wrong_results", "leftovers", "retry_failed"})
      figures[name] = counts_[name];
    figures["recovery_s_max"] = std::round(longest_ * 10) / 10;
    figures["last_images"] = images_;
    figures["images_missing"] = counts_["images_missing"];
    std::printf("%s\n", figures.dump().c_str());
    return bad_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> counts_;
  int images_ = 0, bad_ = 0;
  double longest_ = 0;
};

/// One of each `every`, from the first on.
std::vector<FaultCase> chosen(const std::string& only, std::size_t every) {
  std::vector<FaultCase> cases = all_fault_cases();
  std::erase_if(cases, [&](const FaultCase& one) { return one.name().find(only) == std::string::npos; });
  std::vector<FaultCase> sample;
  for (std::size_t i = 0; i < cases.size(); i += every) sample.push_back(cases[i]);
  return sample;
}

}  // namespace

int main(int argc, char** argv) {
  std::string only;
  unsigned at_once = std::max(1U, std::thread::hardware_concurrency());
  std::size_t every = 1;
  CLI::App options{"Lets processes fail at every step of a migration, a checkpoint in memory and a recovery."};
  options.add_option("--only", only, "cases whose name contains this");
  options.add_option("--every", every, "a sample: one of so many")->check(CLI::Range(1, 1000));
  options.add_option("--at-once", at_once, "cases at a time, each on a cluster of its own: they mostly wait")
      ->check(CLI::Range(1, 64));
  CLI11_PARSE(options, argc, argv);
  const std::vector<FaultCase> cases = chosen(only, every);

  std::printf("%-64s %-12s %6s %8s\n", "fault", "the job", "status", "s");
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
