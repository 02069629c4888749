/// Two jobs on one cluster whose ranks move all the time, at random: which, where to and when. Now and then a node is
/// evacuated by both and powered off. Nothing may be lost, no process may grow.
///   --migrations N   of each job (1000)
///   --seed S         the same choices again
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "figures.hpp"
#include "footprint.hpp"
#include "job.hpp"
#include "scene.hpp"

namespace {

using namespace cppc;
using Names = std::vector<std::string>;

constexpr int kRanks = 4;
constexpr int kPhases = 4;             ///< with an evacuation and a power-off between one and the next
constexpr int kWarmUp = 4 * kRanks;    ///< migrations until every process has what it needs, of long runs
constexpr int kLongestPause_ms = 200;  ///< between two migrations of a job

Names names_of_nodes(int count) {
  Names names;
  for (int node = 0; node < count; ++node) names.push_back("node" + std::to_string(node));
  return names;
}

Names placement(const Names& nodes) {
  std::string hosts;
  for (const auto& node : nodes) hosts += (hosts.empty() ? "" : ",") + node + ":" + std::to_string(kRanks);
  return {"--mca", "mpi_yield_when_idle", "1", "-H", hosts, "--map-by", "node", "-n", std::to_string(kRanks)};
}

/// One job and who moves its ranks.
class Mover {
 public:
  Mover(const test::Cluster& cluster, const Names& nodes, Names program, unsigned seed)
      : random_(seed), job_(cluster, placement(nodes), with_end(std::move(program), folder_.file("stop"))) {
    job_.await_running();
  }

  void move(int times, const Names& nodes) {
    for (int i = 0; i < times; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(number(kLongestPause_ms)));
      const int rank = number(kRanks);
      Names targets = nodes;
      std::erase(targets, job_.node_of(rank));
      request({"--rank", std::to_string(rank), "--to", targets[static_cast<std::size_t>(number(std::ssize(targets)))]});
    }
  }

  /// An evacuation, of all jobs, has moved this one's ranks.
  void evacuated(const nlohmann::json& migration) {
    ++done_;
    frozen_ms_.push_back(migration.at("frozen_ms"));
  }
  void not_evacuated() { ++lost_; }

  test::Finished finish() {
    std::ofstream(folder_.file("stop")).flush();
    return job_.wait();
  }

  [[nodiscard]] int done() const { return done_; }
  [[nodiscard]] int lost() const { return lost_; }
  [[nodiscard]] const std::vector<double>& frozen_ms() const { return frozen_ms_; }

 private:
  static Names with_end(Names program, const std::string& file) {
    program.insert(program.end(), {"--until", file});
    return program;
  }
  [[nodiscard]] int number(std::ptrdiff_t below) {
    return std::uniform_int_distribution<int>(0, static_cast<int>(below) - 1)(random_);
  }

  void request(Names arguments) {
    arguments.emplace_back("--json");
    const test::Finished finished = job_.migrate(arguments);
    if (finished.status == 0) {
      ++done_;
      frozen_ms_.push_back(nlohmann::json::parse(finished.output).at("frozen_ms"));
      return;
    }
    ++lost_;
    std::fprintf(stderr, "migrate %s %s: status %d\n%s%s", arguments[0].c_str(), arguments[1].c_str(), finished.status,
                 finished.output.c_str(), finished.errors.c_str());
  }

  std::mt19937 random_;
  test::Folder folder_;
  test::Job job_;
  std::vector<double> frozen_ms_;
  int done_ = 0, lost_ = 0;
};

/// `work` for both at the same time.
template <class Work>
void together(Mover& one, Mover& other, Work work) {
  std::jthread beside([&] { work(other); });
  work(one);
}

/// All jobs leave the node, in any order.
void evacuate(const test::Cluster& cluster, const std::string& node, const std::vector<Mover*>& jobs) {
  const test::Finished finished = cluster.run("head", {test::tool("migrate"), "--evacuate", node, "--json"});
  if (finished.status == 0) {
    const auto answer = nlohmann::json::parse(finished.output);
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i]->evacuated(answer.at("jobs").at(i));
    return;
  }
  for (Mover* const job : jobs) job->not_evacuated();
  std::fprintf(stderr, "migrate --evacuate %s: status %d\n%s%s", node.c_str(), finished.status, finished.output.c_str(),
               finished.errors.c_str());
}

/// Of the largest process of each program.
class Growth {
 public:
  Growth(const test::Cluster& cluster, const Names& nodes) : cluster_(&cluster) {
    for (const auto& [name, path] : programs_) early_.push_back(bench::largest(cluster, nodes, path));
  }

  /// Of each since then; prints them.
  [[nodiscard]] std::map<std::string, bench::Footprint> until_now(const Names& nodes) const {
    std::map<std::string, bench::Footprint> grown;
    std::printf("%-12s %12s %10s %10s %10s\n", "largest", "descriptors", "early", "MB", "early");
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      const auto& [name, path] = programs_[i];
      const bench::Footprint now = bench::largest(*cluster_, nodes, path), early = early_[i];
      std::printf("%-12s %12ld %10ld %10.1f %10.1f\n", name.c_str(), now.descriptors, early.descriptors, now.megabytes,
                  early.megabytes);
      grown[name] = {.descriptors = now.descriptors - early.descriptors, .megabytes = now.megabytes - early.megabytes};
    }
    return grown;
  }

 private:
  const std::vector<std::pair<std::string, std::string>> programs_{{"heat", test::app("heat")},
                                                                   {"storm", test::app("storm")},
                                                                   {"agent", test::tool("cppc-agent")},
                                                                   {"controller", test::tool("cppc-run")}};
  const test::Cluster* cluster_;
  std::vector<bench::Footprint> early_;
};

Names with_head(Names nodes) {
  nodes.emplace_back("head");
  return nodes;
}

const Names kHeat{"--mb", "2"};

bool right(const test::Cluster& cluster, const test::Finished& heat, const test::Finished& storm) {
  const test::Answer answer = test::heat_answer(heat);
  const bool same = heat.status == 0 && !answer.checksum.empty() &&
                    answer.checksum == test::undisturbed_heat(cluster, std::to_string(kRanks), kHeat, answer).checksum;
  if (!same) std::fprintf(stderr, "heat: status %d\n%s%s", heat.status, heat.output.c_str(), heat.errors.c_str());
  if (storm.status != 0)  // it checks every message
    std::fprintf(stderr, "storm: status %d\n%s%s", storm.status, storm.output.c_str(), storm.errors.c_str());
  return same && storm.status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  int migrations = 1000;
  unsigned seed = std::random_device()();
  CLI::App options{"Moves the ranks of two jobs about, and powers nodes off."};
  options.add_option("--migrations", migrations, "of each job")->check(CLI::Range(kPhases, 1000000));
  options.add_option("--seed", seed, "the same choices again");
  CLI11_PARSE(options, argc, argv);
  std::printf("two jobs of %d ranks, %d migrations of each, --seed %u\n", kRanks, migrations, seed);
  std::fflush(stdout);

  const auto began = std::chrono::steady_clock::now();
  Names nodes = names_of_nodes(3 + kPhases - 1);
  const test::Cluster cluster(static_cast<int>(nodes.size()));
  Names heat_command{test::app("heat"), "--quiet", "--pause-us", "20000"};
  heat_command.insert(heat_command.end(), kHeat.begin(), kHeat.end());
  Mover heat(cluster, nodes, heat_command, seed);
  Mover storm(cluster, nodes, {test::app("storm"), "--pause-us", "2000"}, seed + 1);
  std::ranges::shuffle(nodes, std::mt19937(seed + 2));

  together(heat, storm, [&](Mover& job) { job.move(std::min(kWarmUp, migrations / kPhases), nodes); });
  const Growth growth(cluster, with_head(nodes));
  // An evacuation is a migration, too.
  for (int phase = 0; phase < kPhases; ++phase) {
    const int until = migrations * (phase + 1) / kPhases;
    together(heat, storm, [&](Mover& job) { job.move(until - job.done() - job.lost(), nodes); });
    if (phase == kPhases - 1) break;
    const std::string node = nodes.back();
    evacuate(cluster, node, {&heat, &storm});
    cluster.off(node);
    nodes.pop_back();
  }
  auto grown = growth.until_now(with_head(nodes));
  const test::Finished heat_end = heat.finish();
  const test::Finished storm_end = storm.finish();
  const double hours =
      std::chrono::duration<double, std::ratio<3600>>(std::chrono::steady_clock::now() - began).count();
  const bool all_right = right(cluster, heat_end, storm_end);

  for (const auto& [name, job] : {std::pair{"heat", &heat}, std::pair{"storm", &storm}}) {
    const bench::Spread frozen = bench::spread(job->frozen_ms());
    std::printf("%-12s %d migrations; frozen: median %.1f ms, %.1f to %.1f\n", name, job->done(), frozen.median,
                frozen.low, frozen.high);
  }
  const int lost = heat.lost() + storm.lost();
  std::printf(
      "{\"bench\":\"soak\",\"migrations\":%d,\"jobs\":2,\"lost\":%d,\"wrong_results\":%d,\"fds_grown\":%ld,"
      "\"rss_grown_mb\":%.1f,\"agent_rss_grown_mb\":%.1f,\"hours\":%.2f}\n",
      std::min(heat.done(), storm.done()), lost, all_right ? 0 : 1,
      std::max({grown["heat"].descriptors, grown["storm"].descriptors, grown["agent"].descriptors}),
      std::max(grown["heat"].megabytes, grown["storm"].megabytes), grown["agent"].megabytes, hours);
  return lost == 0 && all_right ? 0 : 1;
}
