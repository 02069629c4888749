#include "fault_case.hpp"

#include <chrono>
#include <csignal>
#include <ostream>
#include <regex>
#include <string_view>
#include <thread>

#include "scene.hpp"

namespace cppc::test {
namespace {

using Bound = FaultCase::Bound;
using Request = FaultCase::Request;

constexpr auto kGone = std::chrono::seconds(60);

/// Rank 1 or both ranks of node0 go to node2; node1 stands by.
const std::vector<std::string> kPlacement{"-H", "node0:2,node1:2,node2:4", "-n", "4"};

/// Short, for processes that hang.
const std::vector<std::string> kDeadlines{"CPPC_DEADLINE_START=5", "CPPC_DEADLINE_ARRIVE=3", "CPPC_DEADLINE_DRAIN=3",
                                          "CPPC_DEADLINE_SHIP=5",  "CPPC_DEADLINE_DECIDE=2", "CPPC_DEADLINE_COMMIT=8",
                                          "CPPC_DEADLINE_LEAVE=3"};

class Cases {
 public:
  void add(const std::vector<std::string>& places, const std::vector<std::string>& actions, Bound bound) {
    for (const auto& place : places)
      for (const auto& action : actions)
        for (const Request request : {Request::move, Request::evacuate})
          all_.push_back({.place = place, .action = action, .request = request, .bound = bound});
  }
  [[nodiscard]] std::vector<FaultCase> take() && { return std::move(all_); }

 private:
  std::vector<FaultCase> all_;
};

std::vector<std::string> of_agents(const std::vector<std::string>& steps) {
  std::vector<std::string> places;
  for (const char* role : {"source-agent-", "target-agent-", "other-agent-"})
    for (const auto& step : steps) places.push_back(role + step);
  return places;
}

/// Processes of the job on the nodes, and what is in their shared memory.
std::string leftovers(const Cluster& cluster, const std::vector<std::string>& nodes) {
  std::string left;
  for (const auto& node : nodes) {
    for (const auto& program : {app("heat"), tool("cppc-agent"), std::string("/usr/bin/orted")})
      for (const pid_t process : cluster.processes(node, program))
        left += node + ": " + program + ", process " + std::to_string(process) + '\n';
    const std::string files = cluster.run(node, {"ls", "/dev/shm"}).output;
    if (!files.empty()) left += node + ": in /dev/shm: " + files;
  }
  return left;
}

/// Counts the last images that `said` names and that are good, and removes them.
int take_images(const Cluster& cluster, const std::string& said) {
  static const std::regex named("its last image is (\\S+) on (\\S+)");
  int good = 0;
  for (std::sregex_iterator one(said.begin(), said.end(), named); one != std::sregex_iterator(); ++one) {
    const std::string file = (*one)[1], node = (*one)[2];
    if (cluster.run(node, {tool("cppc-image"), "verify", file}).status == 0) ++good;
    (void)cluster.run(node, {"rm", file});
  }
  return good;
}

/// mpirun does not wait for what it kills.
std::string what_stays(const Cluster& cluster, const std::vector<std::string>& nodes) {
  const auto deadline = std::chrono::steady_clock::now() + kGone;
  std::string left = leftovers(cluster, nodes);
  while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    left = leftovers(cluster, nodes);
  }
  return left;
}

/// Longer than the deadlines, so that whoever waits for the other side gives up; the nodes' TCP has not by then.
constexpr auto kCut = std::chrono::seconds(12);

constexpr std::string_view kPmix = "PMIx_";
constexpr std::string_view kNetwork = "network-", kNode = "node-", kController = "controller-";
const std::string kFull = "/dev/shm/full";

/// Of what happens to the network, to a node or to a process from outside: empty otherwise.
std::string step_of(const FaultCase& one) {
  if (one.place.starts_with(kController)) return one.action == "stop" ? one.place.substr(kController.size()) : "";
  for (const std::string_view prefix : {kNetwork, kNode})
    if (one.place.starts_with(prefix)) return one.place.substr(prefix.size());
  return "";
}

bool powers_off(const FaultCase& one) { return one.place.starts_with(kNode); }

void signal_controller(const Cluster& cluster, const std::string& signal) {
  for (const pid_t process : cluster.processes("head", tool("cppc-run")))
    (void)cluster.run("head", {"kill", signal, std::to_string(process)});
}

/// nsenter, which started it, stops when it does, and continues it.
void stop_controller_for_a_while(HeatScene& scene) {
  signal_controller(scene.cluster(), "-STOP");
  std::this_thread::sleep_for(kCut);
  signal_controller(scene.cluster(), "-CONT");
  scene.job().process().signal(SIGCONT);
}

/// The agent of the source waits for two seconds where the step begins: meanwhile it happens.
Finished migrate_meanwhile(HeatScene& scene, const FaultCase& one, const std::vector<std::string>& request) {
  Process migrate = scene.job().start_migrate(request);
  while (migrate.running() && migrate.output().find(step_of(one)) == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (powers_off(one)) {
    scene.cluster().off("node2");
    return migrate.wait();
  }
  if (one.action == "stop") {
    stop_controller_for_a_while(scene);
    return migrate.wait();
  }
  scene.cluster().cut("node0", "node2");
  std::this_thread::sleep_for(kCut);
  scene.cluster().heal("node0", "node2");
  return migrate.wait();
}

std::string fault_point(const FaultCase& one) {
  if (one.place == "target-node" || one.place.starts_with(kPmix)) return "";
  if (!step_of(one).empty()) return "source-agent-" + step_of(one) + ":delay";
  return one.place + ':' + one.action;
}

std::vector<std::string> placement(const FaultCase& one) {
  std::vector<std::string> options;
  if (one.place.starts_with(kPmix))
    options = {"-x", "LD_PRELOAD=" + library("pmix_fault"), "-x", "PMIX_FAULT=" + one.place + ':' + one.action};
  options.insert(options.end(), kPlacement.begin(), kPlacement.end());
  return options;
}

Finished migrate(HeatScene& scene, const FaultCase& one, const std::vector<std::string>& request) {
  return step_of(one).empty() ? scene.job().migrate(request) : migrate_meanwhile(scene, one, request);
}

}  // namespace

std::string FaultCase::name() const {
  return place + ':' + action + (request == Request::evacuate ? " (evacuation)" : "");
}

void PrintTo(const FaultCase& one, std::ostream* out) { *out << one.name(); }

bool FaultResult::lost(const FaultCase& one) const {
  return one.bound != Bound::may_end && (fate == Fate::ended) != (one.bound == Bound::ends);
}

bool FaultResult::forgot(const FaultCase& one) const {
  return fate == Fate::ended && one.bound == Bound::ends && one.action == "hang" && images == 0;
}

std::vector<FaultCase> all_fault_cases() {
  const std::vector<std::string> any{"kill", "hang", "delay", "enomem", "enospc"};
  Cases cases;
  cases.add({"PMIx_Commit", "PMIx_Fence_nb", "PMIx_Lookup", "PMIx_Connect"}, {"kill", "hang"}, Bound::goes_on);
  cases.add({"newcomer-start", "newcomer-receive", "newcomer-restore"}, any, Bound::goes_on);
  cases.add({"newcomer-chunk", "leaver-chunk"}, {"delay", "enomem", "cut"}, Bound::goes_on);
  cases.add({"newcomer-chunk"}, {"kill", "hang", "corrupt", "corrupt:1+"}, Bound::goes_on);
  cases.add({"newcomer-head"}, {"corrupt"}, Bound::goes_on);
  cases.add({"leaver-pack", "leaver-ship"}, {"delay", "enomem", "enospc"}, Bound::goes_on);
  cases.add(of_agents({"prepare", "negotiate", "freeze", "ship"}), any, Bound::goes_on);
  cases.add(of_agents({"prepare", "negotiate", "freeze", "ship"}), {"corrupt", "cut"}, Bound::goes_on);
  cases.add({"leaver-arrive", "stayer-arrive", "newcomer-join", "leaver-join", "stayer-join", "controller-decide"},
            {"delay"}, Bound::goes_on);
  cases.add(of_agents({"decide", "commit"}), {"delay"}, Bound::goes_on);
  cases.add({"network-negotiate", "network-freeze", "network-ship"}, {"cut"}, Bound::goes_on);
  cases.add({"controller-negotiate", "controller-freeze", "controller-ship"}, {"stop"}, Bound::goes_on);
  cases.add({"node-prepare", "node-negotiate", "node-freeze", "node-ship"}, {"off"}, Bound::goes_on);
  cases.add({"target-node"}, {"full"}, Bound::goes_on);
  // A rank is lost, or somebody after the decision.
  cases.add({"leaver-arrive", "leaver-pack", "leaver-ship", "leaver-chunk", "stayer-arrive"}, {"kill"}, Bound::ends);
  cases.add({"newcomer-join", "leaver-join", "stayer-join"}, {"kill", "hang"}, Bound::ends);
  cases.add(of_agents({"commit"}), {"kill", "hang"}, Bound::ends);
  cases.add(of_agents({"decide"}), {"hang"}, Bound::ends);  // it has promised
  cases.add(of_agents({"decide"}), {"kill", "corrupt", "cut"}, Bound::may_end);
  cases.add(of_agents({"commit"}), {"corrupt", "cut"}, Bound::may_end);
  cases.add({"controller-decide"}, {"kill"}, Bound::ends);
  return std::move(cases).take();
}

FaultResult run(const FaultCase& one) {
  std::vector<std::string> settings = kDeadlines;
  settings.push_back("CPPC_FAULT=" + fault_point(one));
  HeatScene scene(3, placement(one), {"--mb", "2"}, settings);
  const bool full = one.place == "target-node";
  if (full) (void)scene.cluster().run("node2", {"sh", "-c", "cat /dev/zero > " + kFull});  // ends with ENOSPC
  std::vector<std::string> request{"--rank", "1", "--to", "node2", "--timeout", "10"};
  if (one.request == Request::evacuate) request = {"--evacuate", "node0", "--to", "node2", "--timeout", "10"};
  const auto began = std::chrono::steady_clock::now();
  const Finished migrated = migrate(scene, one, request);
  FaultResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const Answer answer = scene.finish();
  result.said = migrated.errors + answer.errors;
  result.right = true;
  if (answer.status == 0) {
    result.fate = migrated.status == 0 ? Fate::committed : Fate::rolled_back;
    const Answer undisturbed = scene.undisturbed(answer);
    result.right = !answer.checksum.empty() && answer.checksum == undisturbed.checksum;
  }
  if (full) (void)scene.cluster().run("node2", {"rm", kFull});
  result.images = take_images(scene.cluster(), result.said);
  std::vector<std::string> nodes{"node0", "node1"};
  if (!powers_off(one)) nodes.emplace_back("node2");
  result.left = what_stays(scene.cluster(), nodes);
  return result;
}

}  // namespace cppc::test
