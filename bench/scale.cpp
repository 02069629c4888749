/// What an agreement costs in large jobs: simulations in which ranks and agents take the moves of
/// cppc/migration_point.hpp and of cppc/cut.hpp, over the agents' tree. Time is counted in ticks: an agent's pause
/// between two polls, in which a message arrives as well. And what it costs to rebuild the communicator of all ranks,
/// counted in jobs on eight emulated nodes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "figures.hpp"
#include "scale/rebuild.hpp"
#include "scale/simulation.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using namespace cppc::bench::scale;

const int kRuns = cppc::bench::unless_short(5, 1);

struct Way {
  const char* name;
  const char* what;
  Cost (*agree)(int ranks, std::uint64_t seed);
};

struct Row {
  double ticks = 0, received_mean = 0;
  long received_most = 0;  ///< of all runs
};

Row measure(const Way& way, int ranks) {
  std::vector<double> ticks, mean;
  Row row;
  for (int run = 1; run <= kRuns; ++run) {
    const Cost cost = way.agree(ranks, static_cast<std::uint64_t>(run));
    if (!cost.right) {
      std::fprintf(stderr, "%s, %d ranks, seed %d: they do not all stop where they should\n", way.what, ranks, run);
      std::exit(EXIT_FAILURE);
    }
    ticks.push_back(static_cast<double>(cost.ticks));
    mean.push_back(cost.received_mean);
    row.received_most = std::max(row.received_most, cost.received_most);
  }
  row.ticks = bench::spread(ticks).median;
  row.received_mean = std::round(bench::spread(mean).median * 10) / 10;
  std::printf("%-16s %8d %7d %8.0f %12.1f %12ld\n", way.what, ranks, (ranks + kRanksPerNode - 1) / kRanksPerNode,
              row.ticks, row.received_mean, row.received_most);
  std::fflush(stdout);
  return row;
}

/// By ranks.
nlohmann::ordered_json rebuilds() {
  std::printf("\nRebuilding the communicator of all ranks, when one node of eight is evacuated to the others\n");
  std::printf("%8s %14s %10s %14s %10s\n", "ranks", "communicators", "messages", "of a process", "ms");
  nlohmann::ordered_json figures;
  for (const int ranks : {8, 16, 32, 64}) {
    if (ranks > bench::unless_short(64, 8)) break;
    const Rebuild one = measure_rebuild(ranks);
    std::printf("%8d %14d %10ld %14ld %10.1f\n", ranks, one.rounds, one.messages, one.messages_max, one.milliseconds);
    std::fflush(stdout);
    figures[std::to_string(ranks)] = {{"rounds", one.rounds},
                                      {"messages", one.messages},
                                      {"messages_max", one.messages_max},
                                      {"ms", std::round(one.milliseconds * 10) / 10}};
  }
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  int most = 100'000;
  CLI::App options{"Simulates agreements in large jobs, and counts what it costs to rebuild communicators."};
  options.add_option("--most", most, "ranks of the simulated jobs, at the most")->check(CLI::Range(64, 1'000'000));
  CLI11_PARSE(options, argc, argv);
  std::printf("Messages that an agent receives until all ranks stand; %d runs\n", kRuns);
  std::printf("%-16s %8s %7s %8s %12s %12s\n", "agreement on", "ranks", "nodes", "ticks", "an agent", "at the most");
  nlohmann::ordered_json figures{{"bench", "scale"}, {"received_max", nlohmann::ordered_json::object()}};
  for (const Way& way :
       {Way{"migration_point", "a safe point", agree_on_migration_point}, Way{"cut", "a cut", agree_on_cut}}) {
    for (const int ranks : {64, 1024, 16'384, 100'000}) {
      if (ranks > most) continue;
      const Row row = measure(way, ranks);
      const std::string key = std::to_string(ranks);
      auto& worst = figures["received_max"][key];
      worst = std::max(worst.is_null() ? 0L : worst.get<long>(), row.received_most);
      figures[way.name]["received_max"][key] = row.received_most;
      figures[way.name]["received_mean"][key] = row.received_mean;
      figures[way.name]["ticks"][key] = row.ticks;
    }
  }
  figures["rebuild"] = rebuilds();
  std::printf("%s\n", figures.dump().c_str());
}
