/// What a checkpoint costs: how long each rank stands still, next to copying as many bytes in memory; how long the
/// files take, next to dd; and how much longer the program runs. Likewise with DMTCP, if it is installed.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "checkpoint/others.hpp"
#include "figures.hpp"
#include "job.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using Clock = std::chrono::steady_clock;

constexpr int kRanks = 4;
constexpr double kInterval = 60;  // seconds, of the overhead of a checkpoint a minute
const std::vector<std::string> kTwoNodes{"-H", "node0:2,node1:2", "-n", "4"};
const std::vector<std::string> kFourNodes{"-H", "node0:1,node1:1,node2:1,node3:1", "-n", "4"};

struct Settings {
  int megabytes = bench::unless_short(64, 2);
  int checkpoints = bench::unless_short(20, 1);
  int steps = bench::unless_short(500, 100);
  int large_megabytes = bench::unless_short(1000, 4);
  int large_checkpoints = bench::unless_short(5, 1);
};

[[noreturn]] void give_up(const std::string& what, const test::Finished& finished) {
  std::fprintf(stderr, "bench-checkpoint: %s: status %d\n%s%s", what.c_str(), finished.status, finished.output.c_str(),
               finished.errors.c_str());
  std::exit(EXIT_FAILURE);
}

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

struct Copies {
  std::atomic<int> ready{0};
  double seconds[kRanks]{};
};

/// Of as many processes as there are ranks, at a time: seconds that each takes to copy so many bytes once.
std::vector<double> copy_in_memory(std::size_t bytes) {
  auto* const shared =
      new (mmap(nullptr, sizeof(Copies), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Copies;
  for (int rank = 0; rank < kRanks; ++rank) {
    if (fork() != 0) continue;
    const std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes, 2);
    shared->ready.fetch_add(1);
    while (shared->ready.load() < kRanks) std::this_thread::yield();
    const auto began = Clock::now();
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" ::"r"(to.data()) : "memory");
    shared->seconds[rank] = seconds_since(began);
    _exit(EXIT_SUCCESS);
  }
  while (wait(nullptr) > 0) continue;
  std::vector<double> seconds(shared->seconds, shared->seconds + kRanks);
  munmap(shared, sizeof(Copies));
  return seconds;
}

/// GB/s.
double write_by_dd(const test::Folder& folder, std::size_t bytes) {
  const auto began = Clock::now();
  const test::Finished written = test::run(
      {"dd", "if=/dev/zero", "of=" + folder.file("dd"), "bs=1M", "conv=fsync", "count=" + std::to_string(bytes >> 20)});
  if (written.status != 0) give_up("dd", written);
  return static_cast<double>(bytes) / seconds_since(began) / 1e9;
}

struct Figures {
  std::vector<double> downtimes_ms;  ///< of each rank at each checkpoint
  std::vector<double> copies_ms;     ///< of each process at each time
  std::vector<double> frozen_ms;     ///< from when the last rank has stopped until all work
  std::vector<double> image_bytes, disk_gbs, partner_gbs, rs_gbs, dd_gbs;
};

/// Where checkpoints go.
struct Way {
  std::vector<std::string> options, request;  ///< cppc-run's; migrate's
  std::vector<double> Figures::*gbs;
  std::vector<std::string> placement = kTwoNodes;
};

/// What the program says of its run.
struct Course {
  double steps = 0, seconds = 0;
};

void make_checkpoint(const test::Job& job, const Way& way, Figures& figures) {
  const test::Finished made = job.migrate(way.request);
  if (made.status != 0) give_up("a checkpoint", made);
  const auto answer = nlohmann::json::parse(made.output);
  const double bytes = answer.at("image_bytes");
  for (const double downtime : answer.at("downtime_ms")) figures.downtimes_ms.push_back(downtime);
  figures.frozen_ms.push_back(answer.at("frozen_ms"));
  figures.image_bytes.push_back(bytes);
  (figures.*way.gbs).push_back(bytes / answer.at("seconds").get<double>() / 1e9);
}

/// What a program run does, besides where its checkpoints go.
struct Load {
  int megabytes;
  int checkpoints;
  int steps;  ///< when there are no checkpoints to end it
};

/// Until all checkpoints are made; without a way for so many steps.
Course run_program(const Load& load, const test::Folder& folder, const Way* way, Figures& figures) {
  const std::vector<std::string>& placement = way == nullptr ? kTwoNodes : way->placement;
  const test::Cluster cluster(placement == kTwoNodes ? 2 : 4);
  std::vector<std::string> options = way == nullptr ? std::vector<std::string>{} : way->options;
  options.insert(options.end(), placement.begin(), placement.end());
  std::filesystem::remove(folder.file("stop"));
  test::Job job(
      cluster, options,
      {test::app("heat"), "--quiet", "--mb", std::to_string(load.megabytes), "--report", folder.file("report"),
       way == nullptr ? "--steps" : "--until", way == nullptr ? std::to_string(load.steps) : folder.file("stop")});
  job.await_running();
  for (int i = 0; way != nullptr && i < load.checkpoints; ++i) make_checkpoint(job, *way, figures);
  std::ofstream(folder.file("stop")).flush();
  const test::Finished finished = job.wait(std::chrono::seconds(3600));
  if (finished.status != 0) give_up("heat", finished);
  const auto report = nlohmann::json::parse(std::ifstream(folder.file("report")));
  return {report.at("steps"), report.at("seconds")};
}

/// As many bytes as a rank's image has, while nothing else runs.
void copy_images(const test::Folder& folder, int times, Figures& figures) {
  const double image_bytes = bench::spread(figures.image_bytes).median;
  for (int i = 0; i < times; ++i) {
    for (const double seconds : copy_in_memory(static_cast<std::size_t>(image_bytes / kRanks)))
      figures.copies_ms.push_back(seconds * 1e3);
    figures.dd_gbs.push_back(write_by_dd(folder, static_cast<std::size_t>(image_bytes)));
  }
}

double rounded(double value) { return std::round(value * 1000) / 1000; }

double row(const char* what, const std::vector<double>& values) {
  const bench::Spread spread = bench::spread(values);
  std::printf("%-72s %9.3f %9.3f %9.3f\n", what, spread.median, spread.low, spread.high);
  return spread.median;
}

/// Prints them, too.
nlohmann::ordered_json downtimes(int megabytes, const Figures& figures) {
  const double downtime = row("ms that a rank stands still", figures.downtimes_ms);
  const double frozen = row("  of these, from when the last rank has stopped until all work", figures.frozen_ms);
  const double copy = row("ms that a process copies as many bytes, four at a time", figures.copies_ms);
  return {{"mb_per_rank", megabytes},
          {"downtime_ms", rounded(downtime)},
          {"frozen_ms", rounded(frozen)},
          {"memcpy_ms", rounded(copy)},
          {"downtime_ratio_memcpy", rounded(downtime / copy)}};
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App options{"What a checkpoint costs: downtime, time for its files, longer run of the program."};
  options.add_option("--mb", settings.megabytes, "millions of bytes of state of each of four ranks")
      ->check(CLI::Range(1, 4000));
  options.add_option("--checkpoints", settings.checkpoints, "how many, one after the other")
      ->check(CLI::Range(1, 1000));
  options.add_option("--steps", settings.steps, "of heat without checkpoints, to compare with");
  options.add_option("--large-mb", settings.large_megabytes, "of a second state: how long ranks stand still, only")
      ->check(CLI::Range(1, 4000));
  options.add_option("--large-checkpoints", settings.large_checkpoints, "of that state")->check(CLI::Range(1, 1000));
  CLI11_PARSE(options, argc, argv);

  Figures figures;
  const test::Folder folder;
  const Way to_disk{{}, {"checkpoint", "--to", folder.file("checkpoints"), "--json"}, &Figures::disk_gbs};
  const Way to_partner{
      {"--protect", "partner", "--checkpoint-every", "1000h"}, {"checkpoint", "--json"}, &Figures::partner_gbs};
  const Load load{settings.megabytes, settings.checkpoints, settings.steps};
  const Course alone = run_program(load, folder, nullptr, figures);
  const Course with_checkpoints = run_program(load, folder, &to_disk, figures);
  run_program(load, folder, &to_partner, figures);
  const Way to_parities{
      {"--protect", "rs:3+1", "--checkpoint-every", "1000h"}, {"checkpoint", "--json"}, &Figures::rs_gbs, kFourNodes};
  Figures on_four_nodes;  // ranks stand still for other times there
  run_program(load, folder, &to_parities, on_four_nodes);
  copy_images(folder, settings.checkpoints, figures);
  Figures large;
  run_program({settings.large_megabytes, settings.large_checkpoints, 0}, folder, &to_disk, large);
  copy_images(folder, settings.large_checkpoints, large);

  std::printf("heat, four ranks on two nodes, %d MB of state each: %d checkpoints\n", settings.megabytes,
              settings.checkpoints);
  std::printf("%-72s %9s %9s %9s\n", "", "median", "lowest", "highest");
  nlohmann::ordered_json line{{"bench", "checkpoint"}, {"checkpoints", settings.checkpoints}};
  line.update(downtimes(settings.megabytes, figures));
  const double disk = row("GB/s from the request until all is on storage", figures.disk_gbs);
  const double dd = row("GB/s that dd writes as many bytes with", figures.dd_gbs);
  const double partner = row("GB/s from the request until all is in the memory of two nodes", figures.partner_gbs);
  const double parities = row("GB/s likewise, with rs:3+1, on four nodes", on_four_nodes.rs_gbs);
  const double step = alone.seconds / alone.steps;
  const double each = (with_checkpoints.seconds - with_checkpoints.steps * step) / settings.checkpoints;
  std::printf("a step alone %.2f ms, with the checkpoints %.2f ms on average: %.3f s longer for each checkpoint\n",
              step * 1e3, with_checkpoints.seconds / with_checkpoints.steps * 1e3, each);
  const bench::Compared dmtcp = bench::measure_dmtcp(kRanks, settings.megabytes, settings.checkpoints);
  const bench::Compared libraries = bench::measure_scr_or_veloc();
  std::printf("DMTCP: %s\n", dmtcp.figures.is_null() ? dmtcp.reason.c_str() : dmtcp.figures.dump().c_str());
  std::printf("SCR, VeloC: %s\n", libraries.reason.c_str());
  line.update({{"overhead_percent", rounded(100 * each / kInterval)},
               {"partner_gbs", rounded(partner)},
               {"rs_gbs", rounded(parities)},
               {"disk_gbs", rounded(disk)},
               {"dd_gbs", rounded(dd)},
               {"dmtcp", dmtcp.figures},
               {"scr_or_veloc", libraries.figures},
               {"not_compared", {{"dmtcp", dmtcp.reason}, {"scr_or_veloc", libraries.reason}}}});
  std::printf("with %d MB of state each: %d checkpoints\n", settings.large_megabytes, settings.large_checkpoints);
  line["large"] = downtimes(settings.large_megabytes, large);
  std::printf("%s\n", line.dump().c_str());
}
