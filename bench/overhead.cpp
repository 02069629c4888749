/// What it costs that a program could be moved while nobody asks: each program of tests/apps by mpicc and by cppc-cc,
/// same sources, same compiler, same options, on one rank under plain mpirun, in turn. Compared is processor time, user
/// and system, of the rank and its mpirun: unlike elapsed time, it leaves out what else runs on the machine.
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "figures.hpp"
#include "job.hpp"

namespace {

using namespace cppc;

constexpr int kPairs = 9;

struct Load {
  std::string program;
  std::vector<std::string> arguments;
};

/// Some seconds each.
const std::vector<Load> kLoads{
    {"heat", {"--quiet", "--size", "1000", "--steps", "3000"}},
    {"cg", {"A", "--quiet", "--repeat", "4"}},
    {"ep", {"W", "--repeat", "4"}},
    {"is", {"A", "--repeat", "2"}},
    {"mg", {"A"}},
    {"ft", {"A"}},
    {"md", {"--layers", "32", "--steps", "300"}},
    {"tree", {"--steps", "400"}},
    {"blocks", {"--size", "128", "--steps", "1500"}},
    {"types", {"--rows", "500", "--columns", "500", "--steps", "1600"}},
};

struct Times {
  std::vector<double> processor, elapsed;
};

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Returns what it prints.
std::string run(const std::string& path, const Load& load, Times& times) {
  std::vector<std::string> command{"mpirun", "--allow-run-as-root", "-n", "1", path};
  command.insert(command.end(), load.arguments.begin(), load.arguments.end());
  const double before = processor_seconds();
  const auto start = std::chrono::steady_clock::now();
  const test::Finished finished = test::Process(command).wait(std::chrono::seconds(3600));
  times.elapsed.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  times.processor.push_back(processor_seconds() - before);
  if (finished.status == 0) return finished.output;
  std::fprintf(stderr, "%s: status %d\n%s%s", path.c_str(), finished.status, finished.output.c_str(),
               finished.errors.c_str());
  std::exit(1);
}

/// Of movable to plain, pair by pair.
bench::Spread ratios(const std::vector<double>& movable, const std::vector<double>& plain) {
  std::vector<double> values;
  for (std::size_t i = 0; i < plain.size(); ++i) values.push_back(movable[i] / plain[i]);
  return bench::spread(values);
}

/// Prints a line of the table; returns the ratio.
double compare(const Load& load) {
  Times plain;
  Times movable;
  for (int pair = 0; pair < kPairs; ++pair) {
    const bool first = pair % 2 == 0;  // the second of two runs may have it easier
    const std::string one = first ? run(test::plain_app(load.program), load, plain) : "";
    const std::string moved = run(test::app(load.program), load, movable);
    if (moved == (first ? one : run(test::plain_app(load.program), load, plain))) continue;
    std::fprintf(stderr, "%s: plain and movable differ\n", load.program.c_str());
    std::exit(1);
  }
  const bench::Spread ratio = ratios(movable.processor, plain.processor);
  std::printf("%-8s %9.3f %9.3f %9.4f %9.4f %9.4f %9.4f\n", load.program.c_str(), bench::spread(plain.processor).median,
              bench::spread(movable.processor).median, ratio.median, ratio.low, ratio.high,
              ratios(movable.elapsed, plain.elapsed).median);
  std::fflush(stdout);
  return ratio.median;
}

}  // namespace

int main() {
  std::printf(
      "Seconds of processor time, medians of %d runs each; ratios movable : plain of runs in pairs. gcc -O2, one "
      "rank,\n"
      "plain mpirun (not cppc-run), nobody asks for a migration.\n",
      kPairs);
  std::printf("%-8s %9s %9s %9s %9s %9s %9s\n", "program", "plain", "movable", "ratio", "lowest", "highest", "elapsed");
  std::vector<double> all;
  nlohmann::ordered_json ratio;
  const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4; };
  for (const Load& load : kLoads) {
    all.push_back(compare(load));
    ratio[load.program] = rounded(all.back());
  }
  const bench::Spread spread = bench::spread(all);
  std::printf(
      "%s\n",
      nlohmann::ordered_json{
          {"bench", "overhead"}, {"ratio", ratio}, {"median", rounded(spread.median)}, {"worst", rounded(spread.high)}}
          .dump()
          .c_str());
}
