/// What moving a rank's state costs: image and fabric (ours) next to the bare bytes over TCP, the bare bytes through
/// the same libfabric provider, and the way of CPPC's paper of 2013 (ship/paper_way.hpp). All in turn in one run,
/// between two emulated nodes, each checked at the target. The bare bytes through libfabric go in pieces of 4 MiB and
/// (raw-fabric-small) in pieces as small as ours, which on this machine stay in the processors' caches; as many at a
/// time as ours. A ratio is taken between moves of the same turn, so that what else happens on the machine meets both;
/// of these, the median counts.
///
/// What small blocks cost is measured with ranks of a job that move (ship/small_blocks.hpp).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "figures.hpp"
#include "job.hpp"
#include "ship/small_blocks.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;

const std::vector<std::string> kWays{"raw-tcp", "raw-fabric", "raw-fabric-small", "paper", "ours"};

/// One pair of processes.
struct Load {
  std::uint64_t megabytes;
  int repeats;
  std::vector<std::string> ways = kWays;
};

/// Figures of a way by name, turn for turn.
using Series = std::map<std::string, std::vector<double>>;
using Measured = std::map<std::string, Series>;

double available_megabytes() {
  std::ifstream lines("/proc/meminfo");
  for (std::string name; lines >> name;) {
    double value = 0;
    if (name == "MemAvailable:" && lines >> value) return value * 1024 / 1e6;
  }
  return 0;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

Measured measure(const test::Cluster& cluster, const Load& load) {
  // One rank of each node: left to itself, mpirun binds both to what it takes for processor 0 of different machines.
  std::vector<std::string> command{"mpirun",
                                   "--mca",
                                   "plm_rsh_agent",
                                   test::remote_shell(),
                                   "--mca",
                                   "pml",
                                   "ob1",
                                   "--mca",
                                   "btl",
                                   "self,tcp",
                                   "--mca",
                                   "btl_tcp_if_include",
                                   "eth0",
                                   "--bind-to",
                                   "none",
                                   "-H",
                                   "node0:1,node1:1",
                                   "-n",
                                   "2",
                                   test::tool("bench-ship-peer"),
                                   "--megabytes",
                                   std::to_string(load.megabytes),
                                   "--repeats",
                                   std::to_string(load.repeats),
                                   "--ways",
                                   joined(load.ways)};
  const test::Finished finished = cluster.start("head", command).wait(std::chrono::seconds(3600));
  if (finished.status != 0) {
    std::fprintf(stderr, "bench-ship-peer: status %d\n%s%s", finished.status, finished.output.c_str(),
                 finished.errors.c_str());
    std::exit(1);
  }
  Measured measured;
  std::istringstream lines(finished.output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;
    const auto sample = nlohmann::json::parse(line);
    for (const auto& [name, value] : sample.items())
      if (value.is_number()) measured[sample.at("way")][name].push_back(value);
  }
  return measured;
}

// ----------------------------------------------------------------------------------------------------------- figures

bench::Spread ratio(const Measured& measured, const std::string& way, const std::string& reference) {
  const auto& above = measured.at(way).at("seconds");
  const auto& below = measured.at(reference).at("seconds");
  std::vector<double> ratios;
  for (std::size_t i = 0; i < above.size(); ++i) ratios.push_back(above[i] / below[i]);
  return bench::spread(ratios);
}

/// Of the bytes that the way says it has sent.
std::vector<double> rates(const Series& series) {
  std::vector<double> gigabytes_per_second;
  for (std::size_t i = 0; i < series.at("seconds").size(); ++i)
    gigabytes_per_second.push_back(series.at("bytes")[i] / series.at("seconds")[i] / 1e9);
  return gigabytes_per_second;
}

double highest(const Series& series, const std::string& name) { return bench::spread(series.at(name)).high; }

double rounded(double value) { return std::round(value * 1000) / 1000; }

void print(const std::string& title, const Load& load, const Measured& measured) {
  std::printf("\n%s, %d turns\n%-16s %28s %8s %22s %10s %20s\n", title.c_str(), load.repeats, "",
              "seconds (lowest, highest)", "GB/s", "to the first of these", "build ms", "extra MB, both ends");
  for (const auto& way : load.ways) {
    const Series& series = measured.at(way);
    const bench::Spread seconds = bench::spread(series.at("seconds"));
    const bench::Spread to_first = ratio(measured, way, load.ways.front());
    std::printf("%-16s %10.4f (%.4f, %.4f) %8.2f %8.3f (%.3f, %.3f) %10.2f %9.1f %10.1f\n", way.c_str(), seconds.median,
                seconds.low, seconds.high, bench::spread(rates(series)).median, to_first.median, to_first.low,
                to_first.high, bench::spread(series.at("build_ms")).median, highest(series, "sender_extra_mb"),
                highest(series, "receiver_extra_mb"));
  }
  std::fflush(stdout);
}

/// What is aimed at; what is missed is said, not punished: machines differ.
class Aims {
 public:
  void at_most(const std::string& what, double value, double aim) { note(what, value <= aim, value, "at most", aim); }
  void at_least(const std::string& what, double value, double aim) { note(what, value >= aim, value, "at least", aim); }
  void report() const {
    std::printf("\n%s", missed_.empty() ? "All that is aimed at is met.\n" : "Missed:\n");
    for (const auto& line : missed_) std::printf("  %s\n", line.c_str());
  }

 private:
  void note(const std::string& what, bool met, double value, const char* bound, double aim) {
    std::ostringstream line;
    line << what << ": " << rounded(value) << ", aimed at: " << bound << ' ' << aim;
    if (!met) missed_.push_back(line.str());
  }
  std::vector<std::string> missed_;
};

nlohmann::ordered_json size_figures(const Load& load, const Measured& measured, Aims& aims) {
  const std::string size = std::to_string(load.megabytes) + " MB, ";
  const bool small = load.megabytes < 256;
  const double to_raw = ratio(measured, "ours", "raw-tcp").median;
  const double to_fabric = ratio(measured, "ours", "raw-fabric").median;
  const Series& ours = measured.at("ours");
  const double sender = highest(ours, "sender_extra_mb");
  const double receiver = highest(ours, "receiver_extra_mb");
  const double extra = 0.02 * static_cast<double>(load.megabytes) + 8;
  aims.at_most(size + "ratio to raw TCP", to_raw, small ? 1.4 : 1.2);
  aims.at_most(size + "ratio to raw fabric", to_fabric, small ? 1.3 : 1.08);
  aims.at_most(size + "extra MB of the sender", sender, extra);
  aims.at_most(size + "extra MB of the receiver", receiver, extra);
  nlohmann::ordered_json figures{{"ratio_to_raw", rounded(to_raw)}, {"ratio_to_fabric", rounded(to_fabric)}};
  if (measured.contains("paper")) {
    const double paper = ratio(measured, "paper", "raw-tcp").median;
    aims.at_least(size + "ratio of the paper's way to raw TCP", paper, 4);
    figures["ratio_paper_way_to_raw"] = rounded(paper);
  }
  figures["ratio_to_fabric_small"] = rounded(ratio(measured, "ours", "raw-fabric-small").median);
  figures["sender_extra_mb"] = rounded(sender);
  figures["receiver_extra_mb"] = rounded(receiver);
  figures["build_ms"] = rounded(bench::spread(ours.at("build_ms")).median);
  return figures;
}

// -------------------------------------------------------------------------------------------------------------- runs

int usual_repeats(std::uint64_t megabytes) {
  if (megabytes <= 64) return 15;
  if (megabytes <= 256) return 9;
  return megabytes <= 1024 ? 5 : 3;
}

Load load_of(std::uint64_t megabytes, int repeats) {
  Load load{.megabytes = megabytes, .repeats = repeats > 0 ? repeats : usual_repeats(megabytes)};
  // The paper's way holds the state twice at each end.
  if (available_megabytes() < 4.0 * static_cast<double>(megabytes) + 2000) {
    std::fprintf(stderr, "%llu MB: no memory for the paper's way, it is left out\n",
                 static_cast<unsigned long long>(megabytes));
    std::erase(load.ways, "paper");
  }
  return load;
}

/// Share of the line that the image's bytes get.
double share_of_line(const std::string& bandwidth, double gigabits, const Load& load) {
  const test::Cluster cluster(2, {"--bandwidth", bandwidth});
  const Measured measured = measure(cluster, load);
  print(std::to_string(load.megabytes) + " MB on a line of " + bandwidth, load, measured);
  return bench::spread(rates(measured.at("ours"))).median * 8 / gigabits;
}

/// By numbers of blocks.
struct BlockFigures {
  nlohmann::ordered_json nanoseconds, bytes;
  nlohmann::ordered_json bytes_by_place;  ///< the former are the most of these
};

BlockFigures block_figures(const std::string& kind, const std::string& program, std::vector<long> numbers, int turns,
                           Aims& aims) {
  numbers.resize(bench::unless_short(numbers.size(), std::size_t{1}));
  std::printf(
      "\nSmall blocks, %s, %d turns: more than the same bytes in one block, a block\n%-12s %10s %14s %14s %14s\n",
      kind.c_str(), turns, "blocks", "ns", "bytes sent", "source bytes", "replacement bytes");
  BlockFigures figures;
  const test::Cluster cluster(2);
  for (const long blocks : numbers) {
    // A move of 10,000 blocks takes milliseconds: what else happens on the machine shows most there.
    const int more = blocks < 100'000 ? bench::unless_short(4, 1) : 1;
    const bench::BlockCost cost = bench::measure_small_blocks(cluster, test::tool(program), blocks, more * turns);
    const double most = std::max({cost.image_bytes, cost.source_bytes, cost.replacement_bytes});
    const std::string name = std::to_string(blocks);
    std::printf("%-12s %10.1f %14.1f %14.1f %14.1f\n", name.c_str(), cost.nanoseconds, cost.image_bytes,
                cost.source_bytes, cost.replacement_bytes);
    std::fflush(stdout);
    aims.at_most(kind + ", " + name + " blocks: ns a block", cost.nanoseconds, 100);
    aims.at_most(kind + ", " + name + " blocks: bytes a block", most, 64);
    figures.nanoseconds[name] = rounded(cost.nanoseconds);
    figures.bytes[name] = rounded(most);
    figures.bytes_by_place[name] = {{"sent", rounded(cost.image_bytes)},
                                    {"source", rounded(cost.source_bytes)},
                                    {"replacement", rounded(cost.replacement_bytes)}};
  }
  return figures;
}

void run(const std::vector<std::uint64_t>& sizes, int repeats, int turns) {
  Aims aims;
  const BlockFigures by_address =
      block_figures("kept by address", "ship-blocks", {10'000, 1'000'000, 10'000'000}, turns, aims);
  // The memory that 10 million take at either end is more than many a machine has.
  const BlockFigures portable =
      block_figures("kept by type (--portable)", "ship-blocks-portable", {10'000, 1'000'000}, turns, aims);
  std::vector<double> raw_tcp;
  nlohmann::ordered_json by_size;
  {
    const test::Cluster cluster(2);
    for (const auto megabytes : sizes) {
      const Load load = load_of(megabytes, repeats);
      const Measured measured = measure(cluster, load);
      print(std::to_string(megabytes) + " MB between two nodes", load, measured);
      std::ranges::copy(rates(measured.at("raw-tcp")), std::back_inserter(raw_tcp));
      by_size[std::to_string(megabytes)] = size_figures(load, measured, aims);
    }
  }
  const std::vector<std::string> ways{"raw-tcp", "ours"};
  const auto line = [&](std::uint64_t megabytes, int usual) {
    return Load{.megabytes = bench::unless_short(megabytes, std::uint64_t{10}),
                .repeats = repeats > 0 ? repeats : usual,
                .ways = ways};
  };
  const double slow = share_of_line("1gbit", 1, line(256, 3));
  const double fast = share_of_line("10gbit", 10, line(1024, 5));
  aims.at_least("share of a line of 1 Gbit/s", slow, 0.94);
  aims.at_least("share of a line of 10 Gbit/s", fast, 0.85);
  aims.report();
  std::printf("%s\n", nlohmann::ordered_json{{"bench", "ship"},
                                             {"raw_tcp_gbs", rounded(bench::spread(raw_tcp).median)},
                                             {"sizes", by_size},
                                             {"line_1gbit", rounded(slow)},
                                             {"line_10gbit", rounded(fast)},
                                             {"blocks", by_address.nanoseconds},
                                             {"block_bytes", by_address.bytes},
                                             {"blocks_portable", portable.nanoseconds},
                                             {"block_bytes_portable", portable.bytes},
                                             {"block_bytes_by_place", by_address.bytes_by_place},
                                             {"block_bytes_by_place_portable", portable.bytes_by_place}}
                          .dump()
                          .c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes{64, 256, 1024, 4096};
  int repeats = 0;
  int turns = 9;
  CLI::App app(
      "What moving a rank's state costs, next to moving its bare bytes. Always measured as well: what small blocks\n"
      "cost, and lines of 1 and 10 Gbit/s.\n\n"
      "Example: bench/run ship --sizes 64,256 --repeats 5");
  app.add_option("--sizes", sizes, "states to move, in MB of 10^6 bytes")
      ->delimiter(',')
      ->check(CLI::Range(10, 1'000'000))
      ->capture_default_str();
  app.add_option("--repeats", repeats, "turns of every size; without it 15, 9, 5 and 3, fewer the larger the state")
      ->check(CLI::PositiveNumber);
  app.add_option("--turns", turns, "moves of each kind for what small blocks cost")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  run(sizes, repeats, turns);
}
