/// A node with a rank on it is powered off at a random moment, again and again, each time under another job: whether it
/// goes on from its last checkpoint with the right result, how much of its work is lost, and how long it is down.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "scene.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kNodes = 5;  // one of them spare
const std::vector<std::string> kPlacement{"-H", "node0:1,node1:1,node2:1,node3:1,node4:1", "-n", "4"};
constexpr auto kTimeout = 300s;
constexpr auto kLongest = 3600s;

struct Settings {
  int losses = bench::unless_short(20, 1);
  int megabytes = bench::unless_short(64, 2);
  int every = bench::unless_short(5, 1);  ///< seconds between checkpoints
  std::string protect = "partner";
  std::vector<std::string> programs{"heat", "cg"};
};

struct Loss {
  bool recovered = false, wrong = false;
  double start = 0, lost_work = 0, down = 0;  ///< seconds
};

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

/// When the newest checkpoint was complete, as cppc-run says with CPPC_LOG=info.
class Newest {
 public:
  explicit Newest(test::Job& job) : job_(job) {}
  /// To be called often.
  void look() {
    const std::string messages = job_.process().errors();
    const auto line = messages.rfind("cppc-run: checkpoint ");
    if (line == std::string::npos || line == line_) return;
    line_ = line;
    seen_ = Clock::now();
  }
  [[nodiscard]] bool there() const { return line_ != std::string::npos; }
  [[nodiscard]] double age() const { return there() ? seconds_since(seen_) : 0; }

 private:
  test::Job& job_;
  std::size_t line_ = std::string::npos;
  Clock::time_point seen_;
};

template <class Condition>
bool await(Condition condition) {
  const auto began = Clock::now();
  while (!condition() && Clock::now() - began < kTimeout) std::this_thread::sleep_for(10ms);
  return condition();
}

/// A program on nodes of its own that loses one.
class Work {
 public:
  Work(std::string name, const Settings& settings) : name_(std::move(name)), settings_(&settings) {}

  [[nodiscard]] std::vector<std::string> command() const {
    if (name_ == "cg") return {test::app("cg"), settings_->megabytes > 8 ? "B" : "W", "--quiet"};
    return {test::app("heat"), "--quiet", "--until", folder_.file("stop"), "--pause-us", "5000", "--mb", megabytes()};
  }
  [[nodiscard]] const test::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const test::Folder& folder() const { return folder_; }

  /// Lets it come to its end. None: it has failed. Else whether its result is right.
  std::optional<bool> finish(test::Job& job) const {
    std::ofstream(folder_.file("stop")).flush();
    const test::Finished finished = job.wait(kLongest);
    const bool checked = finished.output.find(name_ + ": ok") != std::string::npos;
    if (!checked && finished.output.find(name_ + ": WRONG") == std::string::npos) {
      std::fprintf(stderr, "%s: status %d: %s\n", name_.c_str(), finished.status, finished.errors.c_str());
      return std::nullopt;
    }
    if (name_ == "cg") return checked;  // by the benchmark's official result
    const test::Answer answer = test::heat_answer(finished);
    return checked && answer.checksum == test::undisturbed_heat(cluster_, "4", {"--mb", megabytes()}, answer).checksum;
  }

 private:
  [[nodiscard]] std::string megabytes() const { return std::to_string(settings_->megabytes); }

  const std::string name_;
  const Settings* settings_;
  const test::Folder folder_;
  const test::Cluster cluster_{kNodes};
};

std::vector<std::string> options_of(const Settings& settings, const test::Folder& folder) {
  std::vector<std::string> options{
      "--checkpoint-every", std::to_string(settings.every) + "s", "--recover", "1", "--protect", settings.protect};
  if (settings.protect == "disk") options.insert(options.end(), {"--checkpoint-to", folder.file("checkpoints")});
  options.insert(options.end(), kPlacement.begin(), kPlacement.end());
  return options;
}

Loss lose_a_node(const std::string& program, const Settings& settings, std::mt19937& random) {
  const Work work(program, settings);
  Loss loss;
  const auto begun = Clock::now();
  test::Job job(work.cluster(), options_of(settings, work.folder()), work.command(), {"CPPC_LOG=info"});
  job.await_running();
  loss.start = seconds_since(begun);
  Newest newest(job);
  if (!await([&] { return newest.look(), newest.there() || !job.process().running(); })) return loss;
  const auto moment =
      Clock::now() + std::chrono::milliseconds(random() % (1000 * static_cast<unsigned>(settings.every)));
  for (; Clock::now() < moment; std::this_thread::sleep_for(10ms)) newest.look();
  loss.lost_work = newest.age();
  const auto off = Clock::now();
  work.cluster().off("node" + std::to_string(random() % 4));
  const auto again = [&] { return job.process().errors().find("it is started again from") != std::string::npos; };
  if (!await([&] { return again() || !job.process().running(); }) || !job.process().running()) return loss;
  const double noticed = seconds_since(off);
  job.await_running();
  loss.down = seconds_since(off);
  const auto right = work.finish(job);
  loss.recovered = right.has_value();
  loss.wrong = right && !*right;
  std::printf("%s: started in %.2f s; lost %.2f s of work; started again after %.2f s, down for %.2f s%s\n",
              program.c_str(), loss.start, loss.lost_work, noticed, loss.down,
              !loss.recovered ? ": LOST"
              : loss.wrong    ? ": WRONG RESULT"
                              : "");
  return loss;
}

double rounded(double value) { return std::round(value * 100) / 100; }

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  unsigned seed = std::random_device()();
  CLI::App options{"Nodes that vanish under a job that goes on from its last checkpoint."};
  options.add_option("--losses", settings.losses, "nodes powered off, each under another job")
      ->check(CLI::Range(1, 1000));
  options.add_option("--mb", settings.megabytes, "millions of bytes of state of each of four ranks");
  options.add_option("--every", settings.every, "seconds between checkpoints")->check(CLI::Range(1, 3600));
  options.add_option("--protect", settings.protect, "where checkpoints are")->check(CLI::IsMember({"partner", "disk"}));
  options.add_option("--programs", settings.programs, "in turn: heat, cg")->check(CLI::IsMember({"heat", "cg"}));
  options.add_option("--seed", seed, "the same random choices again");
  CLI11_PARSE(options, argc, argv);
  std::printf(
      "four ranks on four nodes and a spare, %d MB of state each (cg: class B), checkpoints in memory or on disk: %s; "
      "--seed %u\n",
      settings.megabytes, settings.protect.c_str(), seed);
  std::mt19937 random(seed);
  std::vector<double> start, lost_work, down, beyond;
  int recovered = 0, wrong = 0;
  for (int i = 0; i < settings.losses; ++i) {
    const std::string& program = settings.programs[static_cast<std::size_t>(i) % settings.programs.size()];
    const Loss loss = lose_a_node(program, settings, random);
    recovered += loss.recovered ? 1 : 0;
    wrong += loss.wrong ? 1 : 0;
    if (!loss.recovered) continue;
    start.push_back(loss.start);
    lost_work.push_back(loss.lost_work);
    down.push_back(loss.down);
    beyond.push_back(loss.down - loss.start);
  }
  if (down.empty()) return EXIT_FAILURE;
  std::printf("%-64s %8s %8s %8s\n", "seconds", "median", "lowest", "highest");
  const auto row = [](const char* what, const std::vector<double>& values) {
    const bench::Spread spread = bench::spread(values);
    std::printf("%-64s %8.2f %8.2f %8.2f\n", what, spread.median, spread.low, spread.high);
    return rounded(spread.median);
  };
  const double started = row("that starting the job takes", start);
  const double work = row("of work lost, since the last checkpoint", lost_work);
  const double away = row("from the loss until all ranks work again", down);
  const double more = row("  beyond what starting the same job had taken", beyond);
  const nlohmann::ordered_json line{{"bench", "recover"},
                                    {"protect", settings.protect},
                                    {"losses", settings.losses},
                                    {"recovered", recovered},
                                    {"wrong_results", wrong},
                                    {"lost_work_s_median", work},
                                    {"down_s_median", away},
                                    {"start_s_median", started},
                                    {"down_beyond_start_s_median", more},
                                    {"down_beyond_start_s_max", rounded(bench::spread(beyond).high)}};
  std::printf("%s\n", line.dump().c_str());
  return recovered == settings.losses && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
