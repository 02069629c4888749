/// A node with a rank on it is powered off at a random moment, again and again, each time under another job: whether it
/// goes on from its last checkpoint with the right result, how much of its work is lost, and how long it is down.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "figures.hpp"
#include "scene.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kNodes = 5;  // one of them spare
const std::vector<std::string> kPlacement{"-H", "node0:1,node1:1,node2:1,node3:1,node4:1", "-n", "4"};
constexpr auto kPatience = 300s;

struct Settings {
  int losses = bench::unless_short(20, 1);
  int megabytes = bench::unless_short(64, 2);
  int every = bench::unless_short(5, 1);  ///< seconds between checkpoints
  std::string protect = "partner";
};

struct Loss {
  bool recovered = false, wrong = false;
  double lost_work = 0, down = 0;  ///< seconds
};

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

/// When the newest checkpoint was complete, as cppc-run says with CPPC_LOG=info.
class Newest {
 public:
  explicit Newest(test::Job& job) : job_(job) {}
  /// To be called often.
  void look() {
    const std::string said = job_.process().errors();
    const auto line = said.rfind("cppc-run: checkpoint ");
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
  while (!condition() && Clock::now() - began < kPatience) std::this_thread::sleep_for(10ms);
  return condition();
}

Loss lose_a_node(const Settings& settings, std::mt19937& random) {
  const test::Folder folder;
  std::vector<std::string> placement{
      "--checkpoint-every", std::to_string(settings.every) + "s", "--recover", "1", "--protect", settings.protect};
  if (settings.protect == "disk") placement.insert(placement.end(), {"--checkpoint-to", folder.file("checkpoints")});
  placement.insert(placement.end(), kPlacement.begin(), kPlacement.end());
  test::HeatScene scene(kNodes, placement, {"--mb", std::to_string(settings.megabytes)}, {"CPPC_LOG=info"});
  test::Job& job = scene.job();
  Loss loss;
  Newest newest(job);
  if (!await([&] { return newest.look(), newest.there() || !job.process().running(); })) return loss;
  const auto moment =
      Clock::now() + std::chrono::milliseconds(random() % (1000 * static_cast<unsigned>(settings.every)));
  for (; Clock::now() < moment; std::this_thread::sleep_for(10ms)) newest.look();
  loss.lost_work = newest.age();
  const auto off = Clock::now();
  scene.cluster().off("node" + std::to_string(random() % 4));
  const auto again = [&] { return job.process().errors().find("it is started again from") != std::string::npos; };
  if (!await([&] { return again() || !job.process().running(); }) || !job.process().running()) return loss;
  job.await_running();
  loss.down = seconds_since(off);
  const test::Answer answer = scene.finish();
  loss.recovered = answer.status == 0 && !answer.checksum.empty();
  loss.wrong = loss.recovered && answer.checksum != scene.undisturbed(answer).checksum;
  if (!loss.recovered) std::fprintf(stderr, "status %d: %s\n", answer.status, answer.errors.c_str());
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
  options.add_option("--seed", seed, "the same random choices again");
  CLI11_PARSE(options, argc, argv);
  std::printf(
      "heat, four ranks on four nodes and a spare, %d MB of state each, checkpoints in memory or on disk: %s; --seed "
      "%u\n",
      settings.megabytes, settings.protect.c_str(), seed);
  std::mt19937 random(seed);
  std::vector<double> lost_work, down;
  int recovered = 0, wrong = 0;
  for (int i = 0; i < settings.losses; ++i) {
    const Loss loss = lose_a_node(settings, random);
    recovered += loss.recovered ? 1 : 0;
    wrong += loss.wrong ? 1 : 0;
    if (!loss.recovered) continue;
    lost_work.push_back(loss.lost_work);
    down.push_back(loss.down);
  }
  if (down.empty()) return EXIT_FAILURE;
  const bench::Spread work = bench::spread(lost_work), away = bench::spread(down);
  std::printf("%-64s %8s %8s %8s\n", "seconds", "median", "lowest", "highest");
  std::printf("%-64s %8.2f %8.2f %8.2f\n", "of work lost, since the last checkpoint", work.median, work.low, work.high);
  std::printf("%-64s %8.2f %8.2f %8.2f\n", "from the loss until all ranks work again", away.median, away.low,
              away.high);
  const nlohmann::ordered_json line{{"bench", "recover"},
                                    {"protect", settings.protect},
                                    {"losses", settings.losses},
                                    {"recovered", recovered},
                                    {"wrong_results", wrong},
                                    {"lost_work_s_median", rounded(work.median)},
                                    {"down_s_median", rounded(away.median)}};
  std::printf("%s\n", line.dump().c_str());
  return recovered == settings.losses && wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
