/// A node that fails its health check under Slurm, with jobs of two users on it: how long until cppc-health has it
/// empty, and until Slurm calls it drained. Nobody is at a keyboard: Slurm's own health check drains the node,
/// cppc-health polls for that and has it evacuated, and the controllers take it out of their jobs.
#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>

#include "figures.hpp"
#include "scene.hpp"
#include "short_form.hpp"
#include "slurm.hpp"

namespace {

using namespace cppc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::array kUsers{"user1", "user2", "user1"};
constexpr const char* kNode = "node1";
const std::vector<std::string> kState{"--mb", "16"};
constexpr auto kTimeout = 120s;
constexpr int kCannot = 77;  // exit status

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "bench-drain: %s\n", what.c_str());
  std::exit(EXIT_FAILURE);
}

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

template <class Condition>
void await(const std::string& what, Condition condition) {
  const auto limit = Clock::now() + kTimeout;
  while (!condition()) {
    if (Clock::now() > limit) give_up(what + " has not come");
    std::this_thread::sleep_for(10ms);
  }
}

/// A solver on two of the three nodes of its allocation, until it is told to stop.
class UsersJob {
 public:
  UsersJob(const test::Slurm& slurm, const std::string& user) {
    test::give_to(folder_, user);
    std::vector<std::string> command{"salloc", "--nodes=3", "--ntasks-per-node=1", "--no-kill", test::tool("cppc-run"),
                                     "-n",     "2",         test::app("heat"),     "--quiet",   "--pause-us",
                                     "5000",   "--until",   folder_.file("stop")};
    command.insert(command.end(), kState.begin(), kState.end());
    process_.emplace(slurm.start(user, "head", command));
  }

  /// Whether its result is that of an undisturbed run.
  bool finish(const test::Cluster& cluster) {
    std::ofstream(folder_.file("stop")).flush();
    const test::Answer answer = test::heat_answer(process_->wait());
    if (answer.status != 0) std::fprintf(stderr, "status %d: %s\n", answer.status, answer.errors.c_str());
    return answer.status == 0 && !answer.checksum.empty() &&
           answer.checksum == test::undisturbed_heat(cluster, "2", kState, answer).checksum;
  }

 private:
  const test::Folder folder_;
  std::optional<test::Process> process_;
};

/// cppc-health on the head, as it is configured for Slurm.
class Health {
 public:
  explicit Health(const test::Slurm& slurm) {
    std::ofstream(folder_.file("token")) << std::string(32, 'x') << '\n';
    std::filesystem::permissions(folder_.file("token"), std::filesystem::perms(0600));
    std::ofstream(folder_.file("health.toml"))
        << "[site]\nscheduler = \"slurm\"\nstate = \"" << folder_.file("state") << "\"\n[listen]\ntoken_file = \""
        << folder_.file("token") << "\"\n[[source]]\nkind = \"slurm-drain\"\nevery_s = 5\n"
        << "[[rule]]\nmatch = {source = \"slurm-drain\"}\naction = \"evacuate\"\ndeadline_s = 600\n";
    daemon_.emplace(slurm.start("root", "head", {test::tool("cppc-health"), "--config", folder_.file("health.toml")}));
    await("cppc-health", [this] {
      if (!daemon_->running()) give_up("cppc-health: " + daemon_->errors());
      return daemon_->errors().find("listens at") != std::string::npos;
    });
  }

  /// What it says of this event of the node; nothing yet.
  [[nodiscard]] std::optional<std::string> logged(const std::string& event) const {
    std::ifstream log(folder_.file("state/audit.log"));
    for (std::string line; std::getline(log, line);) {
      const auto entry = nlohmann::json::parse(line, nullptr, false);
      if (entry.is_object() && entry.value("event", "") == event && entry.value("node", "") == kNode)
        return entry.value("text", "");
    }
    return std::nullopt;
  }

 private:
  const test::Folder folder_;
  std::optional<test::Process> daemon_;
};

/// Seconds of one node.
struct Drain {
  double noticed = 0;    ///< from the fault until cppc-health knows
  double empty = 0;      ///< from then until it is empty, and out of all jobs
  double evacuated = 0;  ///< the longest of the jobs' evacuations in that
  double drained = 0;    ///< from the fault until Slurm says so
  int lost = 0;          ///< jobs that have ended, or have another result
};

/// The longest of "job NAME: 33 MB moved in 0.72 s".
double longest_evacuation(const std::string& text) {
  static const std::regex took("moved in ([0-9.]+) s");
  double longest = 0;
  unsigned jobs = 0;
  for (std::sregex_iterator one(text.begin(), text.end(), took); one != std::sregex_iterator(); ++one, ++jobs)
    longest = std::max(longest, std::stod((*one)[1]));
  if (jobs != kUsers.size()) give_up("not all jobs have left the node: " + text);
  return longest;
}

Drain measure(const test::Slurm& slurm) {
  std::vector<std::unique_ptr<UsersJob>> jobs;
  for (const char* user : kUsers) jobs.push_back(std::make_unique<UsersJob>(slurm, user));
  await("the jobs' beginning", [&] {
    const auto all = nlohmann::json::parse(
        slurm.run("root", "head", {test::tool("migrate"), "status", "--json"}).output, nullptr, false);
    const auto runs = [](const nlohmann::json& job) { return job.value("state", "") == "running"; };
    return all.is_array() && all.size() == kUsers.size() && std::ranges::all_of(all, runs);
  });
  const Health health(slurm);

  Drain drain;
  const auto fault = Clock::now();
  if (slurm.cluster().run(kNode, {"sh", "-c", "echo fan fails >/tmp/slurm/fault"}).status != 0) give_up("no fault");
  await("the notice", [&] { return health.logged("noticed").has_value(); });
  const auto noticed = Clock::now();
  drain.noticed = seconds_since(fault);
  await("an empty node", [&] { return health.logged("emptied").has_value(); });
  drain.empty = seconds_since(noticed);
  drain.evacuated = longest_evacuation(*health.logged("emptied"));
  await("Slurm's word", [&] {
    return slurm.run("root", "head", {"sinfo", "--noheader", "--nodes=node1", "--format=%T"}).output == "drained\n";
  });
  drain.drained = seconds_since(fault);
  for (const auto& job : jobs) drain.lost += job->finish(slurm.cluster()) ? 0 : 1;
  return drain;
}

double rounded(double seconds) { return std::round(seconds * 100) / 100; }

}  // namespace

int main(int argc, char** argv) {
  int rounds = bench::unless_short(5, 1);
  CLI::App options{"How long until a node that fails its health check is empty, and drained, under Slurm."};
  options.add_option("--rounds", rounds, "nodes that fail, each in a cluster of its own")->check(CLI::Range(1, 100));
  CLI11_PARSE(options, argc, argv);
  std::vector<double> noticed, empty, evacuated, drained;
  int lost = 0;
  for (int round = 0; round < rounds; ++round) {
    const test::Slurm slurm(3);
    if (!slurm.absence().empty()) {
      std::fprintf(stderr, "bench-drain: %s\n", slurm.absence().c_str());
      return kCannot;
    }
    const Drain drain = measure(slurm);
    noticed.push_back(drain.noticed);
    empty.push_back(drain.empty);
    evacuated.push_back(drain.evacuated);
    drained.push_back(drain.drained);
    lost += drain.lost;
  }
  std::printf("Three jobs of two users on three nodes under Slurm; %s fails, %d times\n", kNode, rounds);
  std::printf("%-64s %8s %8s %8s\n", "seconds", "median", "lowest", "highest");
  const auto row = [](const char* what, const std::vector<double>& values) {
    const bench::Spread spread = bench::spread(values);
    std::printf("%-64s %8.2f %8.2f %8.2f\n", what, spread.median, spread.low, spread.high);
    return rounded(spread.median);
  };
  nlohmann::ordered_json figures{{"bench", "drain"}, {"jobs", kUsers.size()}, {"lost", lost}};
  figures["noticed_s_median"] = row("until cppc-health knows (it asks every 5 s)", noticed);
  figures["empty_s_median"] = row("from then until the node is empty and out of the jobs", empty);
  figures["evacuation_s_median"] = row("  of these, the longest evacuation", evacuated);
  figures["drained_s_median"] = row("from the fault until Slurm says \"drained\"", drained);
  std::printf("%s\n", figures.dump().c_str());
  return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
