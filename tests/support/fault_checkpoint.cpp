/// Faults in a checkpoint in memory, and when a job is started again from one. In the end a complete set is left to go
/// on from, the next one is made as before, and protects from the loss of a node.
#include <algorithm>
#include <chrono>
#include <regex>
#include <thread>

#include "fault_run.hpp"

namespace cppc::test {
namespace {

using namespace std::chrono_literals;
using Request = FaultCase::Request;

constexpr auto kUntilStarted = 120s;

/// Keepers come to some places once for each of about ten chunks of an image. In the first checkpoint all of them
/// travel, in the second nearly all: so often a keeper has come by in the middle of that one, which result() makes sure
/// of. Two ranks are on a node, and of four ranks a parity is made.
const std::string kOfTwoImages = "30", kOfFourImages = "60";

/// Each process has come by in the first checkpoint, once for each image.
std::string point_of(const FaultCase& one) {
  const std::string point = one.place + ':' + one.action;
  const auto is = [&](std::string_view place) { return one.place == place; };
  if (is("keeper-encode")) return point + ':' + kOfFourImages;
  if (is("keeper-copy") || is("keeper-receive") || is("keeper-difference")) return point + ':' + kOfTwoImages;
  if (one.request == Request::recover || is("keeper-discard")) return point;
  return point + (is("keeper-make") ? ":3" : ":2");
}

/// Both nodes with ranks, and others: as many as the protection needs.
std::vector<std::string> nodes_of(const FaultCase& one) {
  std::vector<std::string> nodes{"node0", "node1", "node2"};
  if (one.protection == "rs:2+2") nodes.emplace_back("node3");
  return nodes;
}

std::vector<std::string> protected_placement(const FaultCase& one) {
  std::string hosts;
  for (const std::string& node : nodes_of(one)) hosts += (hosts.empty() ? "" : ",") + node + ":2";
  return {"--protect", one.protection, "--checkpoint-every", "1000h", "--recover", "2", "-H", hosts, "-n", "4"};
}

/// Its helpers come later.
void signal_rank(const Cluster& cluster, const std::string& node, const std::string& signal) {
  const auto processes = cluster.processes(node, app("heat"));
  if (!processes.empty())
    (void)cluster.run(node, {"kill", signal, std::to_string(*std::ranges::min_element(processes))});
}

/// The job with its keepers, as it goes from one loss to the next.
class Run {
 public:
  explicit Run(const FaultCase& one)
      : one_(one),
        settings_(one, point_of(one)),
        nodes_(nodes_of(one)),
        scene_(static_cast<int>(nodes_.size()), protected_placement(one), {"--mb", "2"}, settings_.all()) {}

  FaultResult result() {
    save();
    const bool early = settings_.struck();
    const auto began = std::chrono::steady_clock::now();
    one_.request == Request::recover ? recover() : ask();
    result_.seconds = seconds_since(began);
    if (one_.request == Request::checkpoint) {
      // One process is lost in addition to what the fault has cost.
      result_.whole = started_from(result_.fate == Fate::committed ? "2" : "1", [&] { kill_rank(); });
      save();
      result_.whole = started_from("[3-9]", [&] { power_off("node1"); }) && result_.whole;
    }
    save();
    const Fate fate = result_.fate;
    if (conclude(scene_, result_).status == 0) result_.fate = fate;
    result_.struck = settings_.struck() && !early;
    result_.left = what_stays(scene_.cluster(), nodes_);
    return result_;
  }

 private:
  /// One that is asked for as the job is being lost is not made: then once more.
  void save() {
    for (int i = 0; i < 3; ++i) {
      const Finished saved = scene_.job().migrate({"checkpoint"});
      if (saved.status == 0) return;
      result_.messages += saved.errors;
      if (saved.errors.find("is started again") == std::string::npos) break;
    }
    result_.retried = false;
  }

  /// For the checkpoint in which the fault strikes.
  void ask() {
    std::vector<std::string> request{"checkpoint"};
    const bool fails_anyway = one_.place == "keeper-discard";
    if (fails_anyway) {
      signal_rank(scene_.cluster(), "node0", "-STOP");
      request.insert(request.end(), {"--timeout", "2"});
    }
    const std::size_t since = messages().size();
    const Finished asked = scene_.job().migrate(request);
    if (fails_anyway) signal_rank(scene_.cluster(), "node0", "-CONT");
    result_.status = asked.status;
    result_.messages += asked.errors;
    if (!scene_.job().process().running() || has_lost_controller(asked)) {
      if (take_up_job()) result_.fate = Fate::recovered;
      return;
    }
    result_.fate = asked.status == 0 ? Fate::committed : Fate::rolled_back;
    (void)await_state_running(scene_.job());
    if (went_on_from_memory(messages(), since)) result_.fate = Fate::recovered;
  }

  void recover() {
    result_.whole = started_from("1", [&] { power_off("node1"); });
    if (!scene_.job().process().running()) result_.whole = take_up_job();
    if (result_.whole) result_.fate = Fate::recovered;
  }

  static bool has_lost_controller(const Finished& asked) {
    return asked.errors.find("has ended without a word") != std::string::npos;
  }

  bool take_up_job() {
    result_.messages += take_up(scene_.job());
    return went_on_from_memory(messages());
  }

  /// `sets`: those that may be the last one, a regular expression.
  template <class Loss>
  bool started_from(const std::string& sets, Loss loss) {
    const std::size_t since = messages().size();
    loss();
    const std::regex from("it is started again from memory:" + sets + ",");
    const auto deadline = std::chrono::steady_clock::now() + kUntilStarted;
    const auto started = [&] { return messages().find("it is started again from ", since) != std::string::npos; };
    while (scene_.job().process().running() && !started() && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(50ms);
    return std::regex_search(messages().substr(since), from) && await_state_running(scene_.job());
  }

  void kill_rank() { signal_rank(scene_.cluster(), "node1", "-KILL"); }
  void power_off(const std::string& node) {
    scene_.cluster().off(node);
    std::erase(nodes_, node);
  }
  [[nodiscard]] std::string messages() { return scene_.job().process().errors(); }

  const FaultCase& one_;
  const FaultSettings settings_;
  std::vector<std::string> nodes_;
  HeatScene scene_;
  FaultResult result_;
};

}  // namespace

FaultResult run_in_checkpoint(const FaultCase& one) { return Run(one).result(); }

}  // namespace cppc::test
