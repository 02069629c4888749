/// What it costs that libcppc replaces MPI's functions: calls under cppc-run against MPI's own, in turn in one process.
#include <cstdio>
#include <map>
#include <sstream>
#include <string>

#include "figures.hpp"
#include "job.hpp"
#include "short_form.hpp"

namespace {

struct Rounds {
  std::vector<double> own, extra, ratio;
};

/// Two communicators of the same ranks differ by a hundredth in how fast a message goes, for as long as their job
/// lasts; hence several jobs.
const int jobs = cppc::bench::unless_short(7, 1);
const int rounds = cppc::bench::unless_short(31, 1);  ///< of each

using Measured = std::map<std::string, Rounds>;

/// Adds what one job measures; false, and says so, when it fails.
bool run_job(Measured& all) {
  using namespace cppc;
  const test::Finished finished =
      test::Process({test::tool("cppc-run"), "-n", "2", test::tool("interpose-calls"), std::to_string(rounds)},
                    {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"})
          .wait();
  std::istringstream lines(finished.output);
  std::string what;
  for (double own = 0, replaced = 0; lines >> what >> own >> replaced;) {
    Rounds& rounds = all[what];
    rounds.own.push_back(own);
    rounds.extra.push_back(replaced - own);
    rounds.ratio.push_back(replaced / own);
  }
  if (finished.status == 0 && all.size() == 5) return true;
  std::fprintf(stderr, "interpose-calls under cppc-run: status %d\n%s%s", finished.status, finished.output.c_str(),
               finished.errors.c_str());
  return false;
}

}  // namespace

int main() {
  using namespace cppc;
  Measured all;
  for (int job = 0; job < jobs; ++job) {
    if (!run_job(all)) return 1;
  }
  std::printf("%-28s %10s %12s %10s %10s\n", "ns a call", "MPI's own", "more: median", "lowest", "highest");
  for (const auto& [name, rounds] : all) {
    const bench::Spread extra = bench::spread(rounds.extra);
    const bool trip = name == "8" || name == "65536";
    std::printf("%-28s %10.1f %12.1f %10.1f %10.1f\n", trip ? (name + " bytes there and back").c_str() : name.c_str(),
                bench::spread(rounds.own).median, extra.median, extra.low, extra.high);
  }
  const auto extra = [&](const char* name) { return bench::spread(all[name].extra).median; };
  const auto ratio = [&](const char* name) { return bench::spread(all[name].ratio).median; };
  std::printf(
      "{\"bench\":\"interpose\",\"ns\":{\"comm_rank\":%.2f,\"isend_irecv_wait\":%.2f,\"allreduce\":%.2f},"
      "\"pingpong_ratio\":{\"8\":%.4f,\"65536\":%.4f}}\n",
      extra("comm_rank"), extra("isend_irecv_wait"), extra("allreduce"), ratio("8"), ratio("65536"));
}
