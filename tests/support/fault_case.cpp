#include "fault_case.hpp"

#include <chrono>
#include <ostream>
#include <thread>

#include "scene.hpp"

namespace cppc::test {
namespace {

using Bound = FaultCase::Bound;
using Request = FaultCase::Request;

constexpr auto kGone = std::chrono::seconds(60);

/// Rank 1 or both ranks of node0 go to node2; node1 stands by.
const std::vector<std::string> kPlacement{"-H", "node0:2,node1:2,node2:4", "-n", "4"};
const std::vector<std::string> kNodes{"node0", "node1", "node2"};

/// Short, for processes that hang.
const std::vector<std::string> kDeadlines{"CPPC_DEADLINE_START=5", "CPPC_DEADLINE_ARRIVE=3", "CPPC_DEADLINE_DRAIN=3",
                                          "CPPC_DEADLINE_SHIP=5",  "CPPC_DEADLINE_COMMIT=5", "CPPC_DEADLINE_LEAVE=3"};

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
std::string leftovers(const Cluster& cluster) {
  std::string left;
  for (const auto& node : kNodes) {
    for (const auto& program : {app("heat"), tool("cppc-agent"), std::string("/usr/bin/orted")})
      for (const pid_t process : cluster.processes(node, program))
        left += node + ": " + program + ", process " + std::to_string(process) + '\n';
    const std::string files = cluster.run(node, {"ls", "/dev/shm"}).output;
    if (!files.empty()) left += node + ": in /dev/shm: " + files;
  }
  return left;
}

/// mpirun does not wait for what it kills.
std::string what_stays(const Cluster& cluster) {
  const auto deadline = std::chrono::steady_clock::now() + kGone;
  std::string left = leftovers(cluster);
  while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    left = leftovers(cluster);
  }
  return left;
}

}  // namespace

std::string FaultCase::name() const {
  return place + ':' + action + (request == Request::evacuate ? " (evacuation)" : "");
}

void PrintTo(const FaultCase& one, std::ostream* out) { *out << one.name(); }

bool FaultResult::lost(const FaultCase& one) const {
  return one.bound != Bound::may_end && (fate == Fate::ended) != (one.bound == Bound::ends);
}

std::vector<FaultCase> all_fault_cases() {
  const std::vector<std::string> any{"kill", "hang", "delay", "enomem", "enospc"};
  Cases cases;
  cases.add({"newcomer-start", "newcomer-receive", "newcomer-restore"}, any, Bound::goes_on);
  cases.add({"leaver-pack", "leaver-ship"}, {"delay", "enomem", "enospc"}, Bound::goes_on);
  cases.add(of_agents({"prepare", "negotiate", "freeze", "ship"}), any, Bound::goes_on);
  cases.add({"leaver-arrive", "stayer-arrive", "newcomer-join", "leaver-join", "stayer-join", "controller-decide"},
            {"delay"}, Bound::goes_on);
  cases.add(of_agents({"decide", "commit"}), {"delay"}, Bound::goes_on);
  // A rank is lost, or somebody after the decision.
  cases.add({"leaver-arrive", "leaver-pack", "leaver-ship", "stayer-arrive"}, {"kill"}, Bound::ends);
  cases.add({"newcomer-join", "leaver-join", "stayer-join"}, {"kill", "hang"}, Bound::ends);
  cases.add(of_agents({"commit"}), {"kill", "hang"}, Bound::ends);
  cases.add(of_agents({"decide"}), {"kill"}, Bound::may_end);
  cases.add({"controller-decide"}, {"kill"}, Bound::ends);
  return std::move(cases).take();
}

FaultResult run(const FaultCase& one) {
  std::vector<std::string> settings = kDeadlines;
  settings.push_back("CPPC_FAULT=" + one.place + ':' + one.action);
  HeatScene scene(3, kPlacement, {"--mb", "2"}, settings);
  std::vector<std::string> request{"--rank", "1", "--to", "node2", "--timeout", "5"};
  if (one.request == Request::evacuate) request = {"--evacuate", "node0", "--to", "node2", "--timeout", "5"};
  const auto began = std::chrono::steady_clock::now();
  const Finished migrated = scene.job().migrate(request);
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
  result.left = what_stays(scene.cluster());
  return result;
}

}  // namespace cppc::test
