/// Migrations of every rank in turn among three nodes, an evacuation and a power-off, and more migrations on the rest:
/// how long each rank stands still, how fast ranks move and leave, what leaks. The solver's answer is compared with
/// that of an undisturbed run of as many steps. Then fewer migrations of programs of the same size in other languages,
/// which check themselves, and of the solver without pauses between its steps. Last, relocations of the whole job.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "figures.hpp"
#include "footprint.hpp"
#include "job.hpp"
#include "scene.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;

struct Settings {
  int ranks = 4;
  int megabytes = bench::unless_short(64, 2);
  int before = 100;  ///< migrations before the evacuation
  int after = 20;
  int others = 24;  ///< of each other program
  int relocations = bench::unless_short(5, 1);
};

const std::vector<std::string> kPlacement{"-H", "node0:2,node1:2,node2:2", "-n", "4"};

/// Figures of the migrations, by name.
using Times = std::map<std::string, std::vector<double>>;

[[noreturn]] void give_up(const std::string& what, const test::Finished& finished) {
  std::fprintf(stderr, "%s: status %d\n%s%s", what.c_str(), finished.status, finished.output.c_str(),
               finished.errors.c_str());
  std::exit(1);
}

class Run {
 public:
  Run(const Settings& settings, const std::string& program, std::vector<std::string> options = {})
      : settings_(settings),
        cluster_(3),
        job_(cluster_, kPlacement, command(program, settings.megabytes, std::move(options), folder_.file("stop"))) {
    job_.await_running();
  }

  [[nodiscard]] const Times& times() const { return times_; }
  [[nodiscard]] const Times& relocations() const { return relocations_; }
  [[nodiscard]] int lost() const { return lost_; }
  [[nodiscard]] const test::Cluster& cluster() const { return cluster_; }

  /// Moves every rank in turn, `number` moves, each to the next of `nodes`.
  void circulate(int number, const std::vector<std::string>& nodes) {
    for (int i = 0; i < number; ++i) {
      const int rank = i % settings_.ranks;
      const std::string from = job_.node_of(rank);
      std::size_t to = 0;
      while (to < nodes.size() && nodes[to] != from) ++to;
      migrate({"--rank", std::to_string(rank), "--to", nodes[(to + 1) % nodes.size()]});
    }
  }

  void migrate(const std::vector<std::string>& arguments) { migrate(arguments, times_); }

  /// Empties a node and has it back, for which the whole job goes on under another mpirun.
  void empty_and_restore(const std::string& node) {
    migrate({"--evacuate", node});
    migrate({"--restore", node}, relocations_);
  }

  test::Finished finish() {
    std::ofstream(folder_.file("stop")).flush();
    return job_.wait();
  }

 private:
  void migrate(std::vector<std::string> arguments, Times& times) {
    arguments.emplace_back("--json");
    const test::Finished finished = job_.migrate(arguments);
    if (finished.status != 0) {
      std::fprintf(stderr, "a migration failed: status %d\n%s%s", finished.status, finished.output.c_str(),
                   finished.errors.c_str());
      ++lost_;
      return;
    }
    const auto printed = nlohmann::json::parse(finished.output);
    const auto& answer = printed.contains("jobs") ? printed["jobs"].at(0) : printed;  // of an evacuation, of all jobs
    for (const char* name : {"frozen_ms", "response_ms", "evacuation_ms", "rebuild_ms"})
      times[name].push_back(answer.at(name));
    for (const double downtime : answer.at("downtime_ms")) times["downtime_ms"].push_back(downtime);
  }

  static std::vector<std::string> command(const std::string& program, int megabytes, std::vector<std::string> options,
                                          const std::string& until) {
    options.insert(options.begin(), {test::app(program), "--mb", std::to_string(megabytes), "--until", until});
    return options;
  }

  Settings settings_;
  test::Folder folder_;
  test::Cluster cluster_;
  test::Job job_;
  Times times_, relocations_;
  int lost_ = 0;
};

const std::vector<std::string> kPauses{"--pause-us", "20000"};

double rounded(double value) { return std::round(value * 10) / 10; }

/// How long the ranks stand still.
nlohmann::ordered_json downtime(const Times& times) {
  const std::vector<double>& all = times.at("downtime_ms");
  return {{"median", rounded(bench::spread(all).median)},
          {"p95", rounded(bench::percentile(all, 0.95))},
          {"max", rounded(bench::spread(all).high)}};
}

double frozen_ms(const Times& times) { return rounded(bench::spread(times.at("frozen_ms")).median); }

/// Says so when the program or a migration fails.
bool succeeded(Run& run, const std::string& program) {
  const test::Finished finished = run.finish();
  if (finished.status == 0 && run.lost() == 0) return true;
  std::fprintf(stderr, "%s: status %d, %d migrations failed\n%s%s", program.c_str(), finished.status, run.lost(),
               finished.output.c_str(), finished.errors.c_str());
  return false;
}

/// How long all ranks stand still when the whole job is relocated, and when its node is emptied before that; none, and
/// it says so, when one of these or the program fails.
std::optional<nlohmann::ordered_json> relocations(const Settings& settings) {
  Run run(settings, "heat", {"--quiet", kPauses[0], kPauses[1]});
  for (int i = 0; i < settings.relocations; ++i)
    run.empty_and_restore("node" + std::to_string(i % 2));  // those with ranks
  if (!succeeded(run, "heat, relocated")) return std::nullopt;
  return nlohmann::ordered_json{{"frozen_ms_median", frozen_ms(run.relocations())},
                                {"frozen_ms_max", rounded(bench::spread(run.relocations().at("frozen_ms")).high)},
                                {"evacuation_frozen_ms_median", frozen_ms(run.times())}};
}

/// Of a program whose ranks move; none, and it says so, when a migration or the program fails.
std::optional<Times> times_of(const Settings& settings, const std::string& program,
                              const std::vector<std::string>& arguments) {
  Run run(settings, program, arguments);
  run.circulate(settings.others, {"node0", "node1", "node2"});
  if (!succeeded(run, program)) return std::nullopt;
  return run.times();
}

/// Of the largest processes of ranks and agents on some nodes.
struct Footprints {
  bench::Footprint rank, agent;

  static Footprints of(const test::Cluster& cluster, const std::vector<std::string>& nodes) {
    return {bench::largest(cluster, nodes, test::app("heat")),
            bench::largest(cluster, nodes, test::tool("cppc-agent"))};
  }
};

struct Growth {
  long descriptors = 0;
  double megabytes = 0;
};

Growth growth(const Footprints& early, const Footprints& late) {
  std::printf(
      "largest process   rank: %ld descriptors, %.1f MB (early: %ld, %.1f); agent: %ld, %.1f MB (early: %ld, %.1f)\n",
      late.rank.descriptors, late.rank.megabytes, early.rank.descriptors, early.rank.megabytes, late.agent.descriptors,
      late.agent.megabytes, early.agent.descriptors, early.agent.megabytes);
  return {std::max(late.rank.descriptors - early.rank.descriptors, late.agent.descriptors - early.agent.descriptors),
          std::max(late.rank.megabytes - early.rank.megabytes, late.agent.megabytes - early.agent.megabytes)};
}

/// Moves ranks of the run about, empties a node, powers it off and goes on.
std::pair<Footprints, Footprints> work_through(Run& run, const Settings& settings) {
  const std::vector<std::string> all{"node0", "node1", "node2"};
  const std::vector<std::string> rest{"node0", "node2"};
  // When every rank has moved, what a first migration needs is there.
  const int first = std::min(2 * settings.ranks, settings.before);
  run.circulate(first, all);
  const Footprints early = Footprints::of(run.cluster(), all);
  run.circulate(settings.before - first, all);
  run.migrate({"--evacuate", "node1"});
  run.cluster().off("node1");
  run.circulate(settings.after, rest);
  return {early, Footprints::of(run.cluster(), rest)};
}

/// Whether the program's result is that of one that was left alone.
bool result_is_equal(Run& run, const Settings& settings) {
  const test::Finished finished = run.finish();
  if (finished.status != 0) give_up("heat under cppc-run", finished);
  const test::Answer answer = test::heat_answer(finished);
  const test::Answer undisturbed = test::undisturbed_heat(run.cluster(), std::to_string(settings.ranks),
                                                          {"--mb", std::to_string(settings.megabytes)}, answer);
  return !answer.checksum.empty() && answer.checksum == undisturbed.checksum;
}

/// Prints times, and returns their medians and limits by name.
std::map<std::string, bench::Spread> print_times(const Run& run, const Settings& settings) {
  std::printf("%d ranks of %d MB on 3 nodes: %d migrations, an evacuation, a power-off\n", settings.ranks,
              settings.megabytes, settings.before + settings.after);
  std::printf("%-16s %10s %10s %10s\n", "ms", "median", "lowest", "highest");
  std::map<std::string, bench::Spread> spreads;
  for (const auto& [name, values] : run.times()) {
    const bench::Spread one = spreads[name] = bench::spread(values);
    std::printf("%-16s %10.1f %10.1f %10.1f\n", name.c_str(), one.median, one.low, one.high);
  }
  return spreads;
}

/// What is measured with programs of their own, for the line of results; none, and it says so, when one fails.
std::optional<nlohmann::ordered_json> other_programs(const Settings& settings, const Times& heat) {
  const auto cpp = times_of(settings, "wave", kPauses);
  const auto fortran = times_of(settings, "wave_f90", kPauses);
  const auto no_sleep = times_of(settings, "heat", {"--quiet"});
  const auto relocated = relocations(settings);
  if (heat.empty() || !cpp || !fortran || !no_sleep || !relocated) return std::nullopt;
  for (const auto& [name, times] : {std::pair{"C", &heat}, std::pair{"C++", &*cpp}, std::pair{"Fortran", &*fortran},
                                    std::pair{"C, no sleep", &*no_sleep}})
    std::printf("downtime of a rank, ms, %-12s %s\n", name, downtime(*times).dump().c_str());
  std::printf("from when the last rank has stopped until all work again, ms, the job relocated: %s\n",
              relocated->dump().c_str());
  return nlohmann::ordered_json{
      {"by_language", {{"c", frozen_ms(heat)}, {"cpp", frozen_ms(*cpp)}, {"fortran", frozen_ms(*fortran)}}},
      {"downtime_ms", downtime(heat)},
      {"no_sleep", {{"frozen_ms_median", frozen_ms(*no_sleep)}, {"downtime_ms", downtime(*no_sleep)}}},
      {"relocation", *relocated}};
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App options{"Moves the ranks of programs about, and powers a node off."};
  options.add_option("--before", settings.before, "migrations before the power-off")->check(CLI::Range(1, 10000));
  options.add_option("--after", settings.after, "migrations after it")->check(CLI::Range(1, 10000));
  options
      .add_option("--others", settings.others, "migrations of each other program: in C++, in Fortran, without pauses")
      ->check(CLI::Range(1, 10000));
  options.add_option("--relocations", settings.relocations, "of the whole job")->check(CLI::Range(1, 1000));
  CLI11_PARSE(options, argc, argv);
  Run run(settings, "heat", {"--quiet", kPauses[0], kPauses[1]});
  const auto [early, late] = work_through(run, settings);
  const bool equal = result_is_equal(run, settings);
  auto spreads = print_times(run, settings);
  const Growth grown = growth(early, late);
  const auto others = other_programs(settings, run.times());
  if (!others) return 1;
  nlohmann::ordered_json line{{"bench", "migrate"},
                              {"migrations", settings.before + settings.after},
                              {"lost", run.lost()},
                              {"bitwise_equal", equal},
                              {"frozen_ms_median", rounded(spreads["frozen_ms"].median)},
                              {"frozen_ms_max", rounded(spreads["frozen_ms"].high)},
                              {"response_ms_median", rounded(spreads["response_ms"].median)},
                              {"evacuation_ms_median", rounded(spreads["evacuation_ms"].median)},
                              {"rebuild_ms_median", rounded(spreads["rebuild_ms"].median)},
                              {"fds_grown", grown.descriptors},
                              {"rss_grown_mb", rounded(grown.megabytes)}};
  line.update(*others);
  std::printf("%s\n", line.dump().c_str());
  return run.lost() == 0 && equal ? 0 : 1;
}
