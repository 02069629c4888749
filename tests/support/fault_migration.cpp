/// Faults in the middle of a migration.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <regex>
#include <string_view>
#include <thread>

#include "fault_run.hpp"

namespace cppc::test {
namespace {

using Request = FaultCase::Request;

/// Rank 1 or both ranks of node0 go to node2; node1 stands by.
const std::vector<std::string> kPlacement{"-H", "node0:2,node1:2,node2:4", "-n", "4"};

constexpr std::string_view kPmix = "PMIx_";
constexpr std::string_view kNetwork = "network-", kNode = "node-";
constexpr std::string_view kChunk = "chunk";
constexpr std::string_view kTarget = "target-node";

/// Counts the last images that `messages` names and that are good, and removes them. What is wrong with others is
/// added.
int take_images(const Cluster& cluster, std::string& messages) {
  static const std::regex named("its last image is (\\S+) on (\\S+)");
  int good = 0;
  std::string wrong;
  for (std::sregex_iterator one(messages.begin(), messages.end(), named); one != std::sregex_iterator(); ++one) {
    const std::string file = (*one)[1], node = (*one)[2];
    const Finished verified = cluster.run(node, {tool("cppc-image"), "verify", file});
    good += verified.status == 0 ? 1 : 0;
    if (verified.status != 0) wrong += file + ": " + verified.output + verified.errors;
    (void)cluster.run(node, {"rm", file});
  }
  messages += wrong;
  return good;
}

/// Longer than the deadlines, so that whoever waits for the other side gives up; the nodes' TCP has not by then.
constexpr auto kCut = std::chrono::seconds(12);

const std::string kFull = "/dev/shm/full";

/// Of what happens to the network, to a node or to a process from outside: empty otherwise.
std::string step_of(const FaultCase& one) {
  if (one.place.starts_with(controller_places))
    return one.action == "stop" ? one.place.substr(controller_places.size()) : "";
  for (const std::string_view prefix : {kNetwork, kNode})
    if (one.place.starts_with(prefix)) return one.place.substr(prefix.size());
  return "";
}

bool powers_off(const FaultCase& one) { return one.place.starts_with(kNode); }

void signal_controller(const Cluster& cluster, const std::string& signal) {
  for (const pid_t process : cluster.processes("head", tool("cppc-run")))
    (void)cluster.run("head", {"kill", signal, std::to_string(process)});
}

/// The process of the program on node0 that has stopped itself, 0 while there is none.
pid_t stopped_process(const Cluster& cluster, const std::string& program) {
  for (const pid_t process : cluster.processes("node0", program)) {
    const std::string status = cluster.run("node0", {"cat", "/proc/" + std::to_string(process) + "/status"}).output;
    if (status.find("State:\tT") != std::string::npos) return process;
  }
  return 0;
}

/// The agent of the source, or a rank that sends its image, stops where the step begins, and goes on when it has
/// happened.
Finished migrate_meanwhile(HeatScene& scene, const FaultCase& one, const std::vector<std::string>& request,
                           bool& struck) {
  const Cluster& cluster = scene.cluster();
  Process migrate = scene.job().start_migrate(request);
  const std::string program = step_of(one) == kChunk ? app("heat") : tool("cppc-agent");
  pid_t stopped = 0;
  while (migrate.running() && (stopped = stopped_process(cluster, program)) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  struck = stopped != 0;
  if (!struck) return migrate.wait();
  const auto go_on = [&] { (void)cluster.run("node0", {"kill", "-CONT", std::to_string(stopped)}); };
  if (powers_off(one)) {
    cluster.off("node2");
    go_on();
  } else if (one.action == "stop") {
    signal_controller(cluster, "-STOP");
    go_on();
    std::this_thread::sleep_for(kCut);
    signal_controller(cluster, "-CONT");
    scene.job().process().signal(SIGCONT);  // nsenter, which started it, stops when it does
  } else {
    cluster.cut("node0", "node2");
    go_on();
    std::this_thread::sleep_for(kCut);
    cluster.heal("node0", "node2");
  }
  return migrate.wait();
}

std::string fault_point(const FaultCase& one) {
  if (one.place == kTarget || one.place.starts_with(kPmix)) return "";
  if (step_of(one) == kChunk) return "source-chunk:stop";
  if (!step_of(one).empty()) return "source-agent-" + step_of(one) + ":stop";
  // Ranks that stay have come to a stop before, for the checkpoint.
  return one.place + ':' + one.action + (one.recovers && one.place == "other-arrive" ? ":2" : "");
}

std::vector<std::string> placement(const FaultCase& one) {
  std::vector<std::string> options;
  if (one.recovers) options = {"--protect", "partner", "--checkpoint-every", "1000h", "--recover", "1"};
  if (one.place.starts_with(kPmix))
    options = {"-x", "LD_PRELOAD=" + library("pmix_fault"), "-x", "PMIX_FAULT=" + one.place + ':' + one.action};
  options.insert(options.end(), kPlacement.begin(), kPlacement.end());
  return options;
}

/// For what has no fault point: the rest says by the record that it has struck.
Finished migrate(HeatScene& scene, const FaultCase& one, const std::vector<std::string>& request,
                 const FaultSettings& settings, bool& struck) {
  if (!step_of(one).empty()) return migrate_meanwhile(scene, one, request, struck);
  if (one.place == kTarget) {
    // Both end with ENOSPC.
    (void)scene.cluster().run("node2", {"sh", "-c", "cat /dev/zero > " + kFull});
    struck = scene.cluster().run("node2", {"sh", "-c", "echo > /dev/shm/probe"}).status != 0;
  }
  Finished migrated = scene.job().migrate(request);
  if (one.place == kTarget)
    (void)scene.cluster().run("node2", {"rm", "-f", kFull, "/dev/shm/probe"});
  else
    struck = settings.struck();
  return migrated;
}

std::vector<std::string> request_of(const FaultCase& one) {
  std::vector<std::string> request{"--rank", "1", "--to", "node2"};
  if (one.request == Request::evacuate) request = {"--evacuate", "node0", "--to", "node2"};
  // Deadlines of the agents' have a status of their own only for who has set one, and with that migrate does not wait
  // for agents which do not answer.
  if (one.expected.status == timeout_status)
    request.insert(request.end(), {"--timeout", one.place.starts_with(kNetwork) ? "10" : "30"});
  return request;
}

/// Of a rank whose agent is there, to a node whose agent is: when one agent is lost, the others go on.
std::vector<std::string> second_request(const FaultCase& one) {
  const std::string& lost = one.expected.lost;
  return {"--rank", lost == "node0" ? "2" : "1", "--to", lost == "node2" ? "node1" : "node2"};
}

/// Has another process take the place of an agent of a node with ranks: that of the source, if all of its ranks leave.
void lose_agent(HeatScene& scene, const FaultCase& one) {
  const std::string node = one.request == Request::evacuate ? "node0" : "node1";
  const auto processes = scene.cluster().processes(node, tool("cppc-agent"));  // a guardian, and its child
  if (processes.empty()) return;
  (void)scene.cluster().run(node, {"kill", "-KILL", std::to_string(*std::ranges::max_element(processes))});
  const auto is_substituted = [&] {
    for (const auto& one_node : scene.job().status().value("nodes", nlohmann::json::array()))
      if (one_node.at("node") == node) return one_node.at("state") == "leave-only";
    return false;
  };
  while (scene.job().process().running() && !is_substituted())
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void prepare(HeatScene& scene, const FaultCase& one, FaultResult& result) {
  if (one.recovers) result.messages = scene.job().migrate({"checkpoint"}).errors;
  if (one.place.starts_with(substitute_places)) lose_agent(scene, one);
}

bool kills_controller(const FaultCase& one) { return one.place.starts_with(controller_places) && one.action == "kill"; }

}  // namespace

FaultResult run_in_migration(const FaultCase& one) {
  FaultSettings settings(one, fault_point(one));
  // The nodes' TCP repeats what was lost up to 25 s later.
  if (one.place.starts_with(kNetwork)) settings.add("CPPC_DEADLINE_SHIP=30");
  HeatScene scene(3, placement(one), {"--mb", "2"}, settings.all());
  FaultResult result;
  prepare(scene, one, result);
  const auto began = std::chrono::steady_clock::now();
  const Finished migrated = migrate(scene, one, request_of(one), settings, result.struck);
  result.seconds = seconds_since(began);
  result.status = migrated.status;
  result.messages += migrated.errors;
  if (one.recovers && kills_controller(one)) result.messages += take_up(scene.job());
  if (one.expected.fate == Fate::rolled_back && migrated.status != 0) {
    const Finished second = scene.job().migrate(second_request(one));
    result.retried = second.status == 0;
    if (!result.retried) result.messages += second.errors;
  }
  result.fate = migrated.status == 0 ? Fate::committed : Fate::rolled_back;
  const Answer answer = conclude(scene, result);
  if (answer.status != 0) result.seconds = seconds_since(began);
  result.images = take_images(scene.cluster(), result.messages);
  std::vector<std::string> nodes{"node0", "node1"};
  if (!powers_off(one)) nodes.emplace_back("node2");
  result.left = what_stays(scene.cluster(), nodes);
  return result;
}

}  // namespace cppc::test
