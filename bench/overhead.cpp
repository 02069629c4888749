/// What it costs that a program can be moved while nobody asks: each program of tests/apps by the compilers' wrappers
/// under cppc-run, and by mpicc and its kin under mpirun with the options that cppc-run gives it. Four ranks, same
/// sources, same compiler, same options, in turn. Ranks are bound to cores, in both ways alike: else the system's
/// choices, which ranks share a core, differ more from run to run than what is measured. Once more unbound: cppc-run as
/// it is against mpirun as it is.
///
/// Compared is processor time, user and system, of all processes of the job, which leaves out what else runs on the
/// machine, of a long run less a short one: without what starting and ending a job takes. That is shown by itself.
///
/// Where ranks that wait for each other share cores, a run takes some percent more or less than the next. The ratio of
/// the shortest runs is given beside the median ratio: what disturbs a run only makes it longer (Chen and Revels,
/// Robust benchmarking in noisy environments, 2016).
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "figures.hpp"
#include "job.hpp"
#include "mpirun_command.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;

using Words = std::vector<std::string>;

struct Load {
  std::string program;
  Words arguments;
  std::string lasting;  ///< the option that says how long it works
  int times;            ///< its value, for some seconds; 1 is a short run
};

const std::vector<Load> kLoads{
    {"heat", {"--quiet", "--size", "1000"}, "--steps", 3000},
    {"cg", {"W", "--quiet"}, "--repeat", 20},
    {"ep", {"S"}, "--repeat", 12},
    {"is", {"W"}, "--repeat", 20},
    {"mg", {"W"}, "--repeat", 10},
    {"ft", {"W"}, "--repeat", 15},
    {"md", {"--layers", "32"}, "--steps", 250},
    {"tree", {}, "--steps", 400},
    {"blocks", {"--size", "64"}, "--steps", 400},
    {"types", {"--rows", "500", "--columns", "500"}, "--steps", 1000},
    {"objects", {}, "--steps", 8000},
    {"storm", {}, "--steps", 15000},
    {"records", {}, "--steps", 5000},
    {"onesided", {}, "--steps", 4000},
    {"particles", {}, "--steps", 2500},
    {"wave", {"--mb", "16"}, "--steps", 400},
    {"stencil_omp", {}, "--steps", 100},
    {"spectral", {}, "--steps", 1000},
    {"h5steps", {}, "--steps", 800},
    {"cg_f90", {"W"}, "--repeat", 20},
    {"mg_f90", {"W"}, "--repeat", 2},
    {"ft_f90", {"W"}, "--repeat", 15},
    {"ep_f90", {"S"}, "--repeat", 4},
    {"adi_f77", {}, "--steps", 20},
    {"ft_f77", {}, "--steps", 100},
    {"ft_f2c", {}, "--steps", 100},
    {"wave_f77", {}, "--steps", 100000},
    {"wave_f90", {"--mb", "16"}, "--steps", 400},
    {"mixed", {}, "--steps", 5000},
};

/// What cppc-run has mpirun do otherwise than by itself, as settings for mpirun.
run::Result<Words> settings_of_cppc_run() {
  const auto contexts = run::parse_command_line(Words{"-n", "4", "program"});
  if (!contexts) return tl::unexpected(contexts.error());
  const run::Machine machine = run::this_machine();
  const auto allocation = run::allocate(*contexts, machine);
  if (!allocation) return tl::unexpected(allocation.error());
  run::Environment present;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string entry = *one;
    present[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  }
  const auto command = run::build_mpirun_command(*contexts, *allocation, machine, {}, present);
  if (!command) return tl::unexpected(command.error());
  Words settings;
  for (const auto& [name, value] : command->environment) {
    if (name.starts_with("OMPI_MCA_") && name != "OMPI_MCA_plm_rsh_agent") settings.push_back(name + "=" + value);
  }
  return settings;
}

double processor_seconds() {
  while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }  // those whose parents have ended before them
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Times {
  std::vector<double> processor, elapsed;
};

/// How a program is started.
class Way {
 public:
  Way(Words command, Words settings, bool movable)
      : command_(std::move(command)), settings_(std::move(settings)), movable_(movable) {
    settings_.insert(settings_.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }

  /// Notes how long it takes; returns what it prints.
  std::string run(const Load& load, int times, Times& taken) const {
    Words command = command_;
    command.push_back(movable_ ? test::app(load.program) : test::plain_app(load.program));
    command.insert(command.end(), load.arguments.begin(), load.arguments.end());
    command.insert(command.end(), {load.lasting, std::to_string(times)});
    const double before = processor_seconds();
    const auto start = std::chrono::steady_clock::now();
    const test::Finished finished = test::Process(command, settings_).wait(std::chrono::seconds(3600));
    taken.elapsed.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    taken.processor.push_back(processor_seconds() - before);
    if (finished.status == 0) return finished.output;
    std::fprintf(stderr, "%s: status %d\n%s%s", command[command_.size()].c_str(), finished.status,
                 finished.output.c_str(), finished.errors.c_str());
    std::exit(1);
  }

 private:
  Words command_, settings_;
  bool movable_;
};

enum : std::size_t { kMovable, kSame, kMovableByDefault, kPlainByDefault, kWays };

/// Of one program, in each way.
struct Measured {
  std::array<Times, kWays> whole, brief;
};

/// All ways in turn, each round begins with another. Those without binding are left out of most rounds.
Measured measure(const Load& load, const std::array<Way, kWays>& ways, int rounds) {
  constexpr int kSeldom = 3;
  Measured measured;
  std::string answer;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t these = round % kSeldom == 0 ? kWays : kMovableByDefault;
    for (std::size_t i = 0; i < these; ++i) {
      const std::size_t way = (i + static_cast<std::size_t>(round)) % these;
      ways[way].run(load, 1, measured.brief[way]);
      const std::string printed =
          ways[way].run(load, bench::unless_short(load.times, 2 + load.times / 100), measured.whole[way]);
      if (answer.empty()) answer = printed;
      if (printed == answer) continue;
      std::fprintf(stderr, "%s: results differ\n%s%s", load.program.c_str(), answer.c_str(), printed.c_str());
      std::exit(1);
    }
  }
  return measured;
}

double median(const std::vector<double>& values) { return bench::spread(values).median; }

/// Movable to plain without the start, round by round.
bench::Spread ratios(const Measured& measured, std::vector<double> Times::*time, std::size_t movable,
                     std::size_t plain) {
  const auto work = [&](std::size_t way, std::size_t round) {
    return (measured.whole[way].*time)[round] - median(measured.brief[way].*time);
  };
  std::vector<double> values;
  for (std::size_t round = 0; round < (measured.whole[plain].*time).size(); ++round)
    values.push_back(work(movable, round) / work(plain, round));
  return bench::spread(values);
}

/// Movable to plain of the shortest runs of each, without the start.
double ratio_of_shortest(const Measured& measured) {
  const auto work = [&](std::size_t way) {
    return std::ranges::min(measured.whole[way].processor) - std::ranges::min(measured.brief[way].processor);
  };
  return work(kMovable) / work(kSame);
}

/// Of all programs.
struct Total {
  std::vector<double> same, shortest, defaults, start_plain, start_movable;
  nlohmann::ordered_json by_program;
};

double rounded(double value) { return std::round(value * 1e4) / 1e4; }

/// Adds a program, prints its line of the table.
void add(Total& total, const Load& load, const Measured& measured) {
  const bench::Spread same = ratios(measured, &Times::processor, kMovable, kSame);
  total.same.push_back(same.median);
  total.shortest.push_back(ratio_of_shortest(measured));
  total.defaults.push_back(ratios(measured, &Times::processor, kMovableByDefault, kPlainByDefault).median);
  total.start_plain.push_back(median(measured.brief[kSame].processor));
  total.start_movable.push_back(median(measured.brief[kMovable].processor));
  total.by_program[load.program] = rounded(same.median);
  std::printf("%-12s %8.2f %8.2f %8.4f %8.4f %8.4f %8.4f %8.4f %9.4f %8.2f %8.2f\n", load.program.c_str(),
              median(measured.whole[kSame].processor), median(measured.whole[kMovable].processor), same.median,
              same.low, same.high, total.shortest.back(), ratios(measured, &Times::elapsed, kMovable, kSame).median,
              total.defaults.back(), total.start_plain.back(), total.start_movable.back());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 9;
  std::string only;
  CLI::App options{"Programs under cppc-run and under mpirun, nobody asks for a migration."};
  options.add_option("--rounds", rounds, "runs of each program in each way")->check(CLI::Range(1, 1000));
  options.add_option("--only", only, "programs whose name contains this");
  CLI11_PARSE(options, argc, argv);
  const auto settings = settings_of_cppc_run();
  if (!settings) {
    std::fprintf(stderr, "what cppc-run has mpirun do: %s\n", settings.error().c_str());
    return 1;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Words bound{"-n", "4", "--map-by", "core:OVERSUBSCRIBE", "--bind-to", "core:overload-allowed"};
  const auto by = [](const std::string& launcher, const Words& options) {
    Words command{launcher};
    command.insert(command.end(), options.begin(), options.end());
    return command;
  };
  const std::string cppc_run = test::tool("cppc-run");
  const std::array<Way, kWays> ways{Way(by(cppc_run, bound), {}, true), Way(by("mpirun", bound), *settings, false),
                                    Way({cppc_run, "-n", "4"}, {}, true),
                                    Way({"mpirun", "--oversubscribe", "-n", "4"}, {}, false)};

  std::printf(
      "Seconds of processor time of a job of four ranks, medians of %d runs each; ratios movable : plain without what\n"
      "the shortest run takes. gcc -O2; movable: under cppc-run; plain: under mpirun with the options that cppc-run\n"
      "gives it, ranks bound to cores; of short.: the ratio of the shortest run of each; unbound: the ratio of "
      "cppc-run\n"
      "to mpirun as they are.\n",
      rounds);
  std::printf("%-12s %8s %8s %8s %8s %8s %8s %8s %9s %17s\n", "program", "plain", "movable", "ratio", "lowest",
              "highest", "of short.", "elapsed", "unbound", "shortest runs");
  Total total;
  for (const Load& load : kLoads) {
    if (load.program.find(only) != std::string::npos) add(total, load, measure(load, ways, rounds));
  }
  if (total.same.empty()) {
    std::fprintf(stderr, "no program has %s in its name\n", only.c_str());
    return 2;
  }
  const bench::Spread same = bench::spread(total.same);
  std::printf("starting and ending a job: %.2f s plain, %.2f s movable\n", median(total.start_plain),
              median(total.start_movable));
  std::printf("%s\n", nlohmann::ordered_json{{"bench", "overhead"},
                                             {"ratio", total.by_program},
                                             {"median", rounded(same.median)},
                                             {"worst", rounded(same.high)},
                                             {"of_shortest_runs",
                                              {{"median", rounded(bench::spread(total.shortest).median)},
                                               {"worst", rounded(bench::spread(total.shortest).high)}}},
                                             {"against_defaults", rounded(median(total.defaults))}}
                          .dump()
                          .c_str());
}
