/// Which faults there are, and what must become of the job.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "fault_case.hpp"

namespace cppc::test {
namespace {

using Request = FaultCase::Request;

class Cases {
 public:
  void add(const std::vector<std::string>& places, const std::vector<std::string>& actions,
           const Expectation& expected) {
    for (const Request request : {Request::move, Request::evacuate}) add(places, actions, expected, request);
  }
  void add(const std::vector<std::string>& places, const std::vector<std::string>& actions, const Expectation& expected,
           Request request) {
    for (const auto& place : places)
      for (const auto& action : actions)
        all_.push_back({.place = place, .action = action, .expected = expected, .request = request});
  }
  /// Once more, as it is but for the deadlines.
  void with_shipped_deadlines(const std::string& name, int status) {
    const auto found = std::ranges::find(all_, name, &FaultCase::name);
    if (found == all_.end()) std::abort();
    FaultCase one = *found;
    one.shipped_deadlines = true;
    one.expected.status = status;
    all_.push_back(std::move(one));
  }
  /// Each that ends a job although cppc-run lives, with one that recovers.
  void with_recovery() {
    for (std::size_t i = 0, count = all_.size(); i < count; ++i) {
      FaultCase one = all_[i];
      if (one.expected.fate != Fate::ended || one.shipped_deadlines || one.place.starts_with(controller_places))
        continue;
      one.recovers = true;
      one.expected.fate = Fate::recovered;
      one.expected.message.clear();  // it depends on who sees the loss first
      all_.push_back(std::move(one));
    }
  }
  [[nodiscard]] std::vector<FaultCase> take() && { return std::move(all_); }

 private:
  std::vector<FaultCase> all_;
};

struct Agent {
  std::string role;
  std::string node;
};
const std::vector<Agent> kAgents{{"source-agent-", "node0"}, {"target-agent-", "node2"}, {"other-agent-", "node1"}};

std::vector<std::string> operator+(const std::string& prefix, std::vector<std::string> steps) {
  for (auto& step : steps) step.insert(0, prefix);
  return steps;
}

}  // namespace

std::vector<FaultCase> all_fault_cases() {
  const Expectation committed{Fate::committed};
  const auto rolled_back = [](const std::string& message, int status = 1, const std::string& lost = "") {
    return Expectation{Fate::rolled_back, status, message, lost};
  };
  const auto ended = [](const std::string& message, int status = 4) {
    return Expectation{Fate::ended, status, message};
  };
  const Expectation has_died = rolled_back("the replacement of rank . on node2 has died");
  const Expectation cannot_send = rolled_back("rank . on node0 cannot send its image");
  const Expectation cannot_take_over = rolled_back("the replacement of rank . on node2 cannot take over");
  const std::vector<std::string> undecided{"prepare", "negotiate", "freeze", "ship"};
  Cases cases;
  // Replacements.
  // In the middle of MPI_Init: its agent waits for it in vain, or until it is given up.
  cases.add({"PMIx_Commit", "PMIx_Fence_nb", "PMIx_Connect"}, {"kill"},
            rolled_back("the agent of node2 has died", 1, "node2"));
  // Whether its agent waits in vain, or is told so, depends on how far the two have come.
  cases.add({"PMIx_Lookup"}, {"kill"},
            rolled_back("the agent of node2 has died|cannot start . replacements on node2", 1, "node2"));
  cases.add({"PMIx_Commit", "PMIx_Fence_nb", "PMIx_Lookup", "PMIx_Connect"}, {"hang"},
            rolled_back("the agent of node2 does not answer", 1, "node2"));
  cases.add("replacement-" + std::vector<std::string>{"start", "receive", "restore"}, {"kill"}, has_died);
  cases.add({"replacement-start"}, {"hang"}, rolled_back("has not come up", timeout_status));
  cases.add({"replacement-receive", "replacement-restore"}, {"hang"},
            rolled_back("has not arrived in time|given up on request", timeout_status));
  cases.add("replacement-" + std::vector<std::string>{"start", "receive", "restore"}, {"delay"}, committed);
  cases.add({"replacement-start"}, {"enomem", "enospc"}, rolled_back("this replacement cannot start"));
  cases.add({"replacement-receive", "replacement-restore"}, {"enomem", "enospc"}, cannot_take_over);
  // Images on their way.
  cases.add({"replacement-chunk", "source-chunk", "source-pack", "source-ship"}, {"delay"}, committed);
  cases.add({"replacement-chunk", "source-chunk"}, {"enomem", "cut"}, rolled_back("cannot (send its image|take over)"));
  // Whose agent is the first to see it.
  cases.add({"replacement-chunk"}, {"kill"},
            rolled_back("the replacement of rank . on node2 has died|rank . on node0 cannot send its image"));
  cases.add({"replacement-chunk"}, {"hang"}, rolled_back("has not arrived in time", timeout_status));
  cases.add({"replacement-chunk"}, {"corrupt"}, committed);
  cases.add({"replacement-chunk"}, {"corrupt:1+"}, rolled_back("cannot (send its image|take over)"));
  cases.add({"replacement-head"}, {"corrupt"}, rolled_back("cannot (send its image|take over)"));
  cases.add({"source-pack", "source-ship"}, {"enomem", "enospc"}, cannot_send);
  // Agents, before they promise to commit and after they have heard the decision.
  for (const auto& [role, node] : kAgents) {
    const Expectation gone = rolled_back("the agent of " + node + " has died", 1, node);
    const Expectation silent = rolled_back("the agent of " + node + " does not answer", 1, node);
    // Who sees it first: the controller, mpirun, or whoever waits for it in the commit.
    const Expectation damaged = ended("the agent of " + node + " has died|has ended with status|has not ended within");
    cases.add(role + undecided, {"kill"}, gone);
    cases.add(role + undecided, {"corrupt", "cut"}, gone);
    cases.add(role + undecided, {"hang"}, silent);
    cases.add(role + undecided, {"delay"}, committed);
    cases.add(role + undecided, {"enomem", "enospc"}, rolled_back("fails on request"));
    cases.add({role + "decide"}, {"kill"}, gone);
    cases.add({role + "decide"}, {"corrupt", "cut"}, gone);
    cases.add({role + "decide"}, {"hang"}, silent);
    cases.add({role + "decided"}, {"kill"}, damaged);
    Expectation damaged_link = damaged;
    damaged_link.may_commit = true;
    cases.add({role + "decided"}, {"corrupt", "cut"}, damaged_link);
    cases.add({role + "decided", role + "commit"}, {"hang"}, ended("has not ended within"));
    cases.add({role + "commit"}, {"kill"}, damaged);
    cases.add(role + std::vector<std::string>{"decide", "decided", "commit"}, {"delay"}, committed);
  }
  // An agent commits without the controller; the leader's substitute tells of the end.
  cases.add({"source-agent-commit", "target-agent-commit", "other-agent-commit"}, {"corrupt", "cut"}, committed);
  // Ranks.
  cases.add({"source-arrive", "other-arrive", "replacement-join", "source-join", "other-join", "controller-decide"},
            {"delay"}, committed);
  cases.add({"source-arrive", "source-pack", "source-ship", "source-chunk", "other-arrive"}, {"kill"}, ended(""));
  cases.add({"replacement-join", "source-join", "other-join"}, {"kill"}, ended(""));
  cases.add({"replacement-join", "source-join", "other-join"}, {"hang"}, ended("has not ended within"));
  // From outside.
  cases.add({"network-negotiate"}, {"cut"}, rolled_back("", timeout_status));
  // Connections that are made meanwhile wait; one that is there is lost.
  cases.add({"network-freeze", "network-ship"}, {"cut"}, committed);
  cases.add({"network-chunk"}, {"cut"}, rolled_back("cannot (send its image|take over)"));
  cases.add({"controller-negotiate", "controller-freeze", "controller-ship"}, {"stop"},
            rolled_back("cppc-run has not answered within"));
  cases.add("node-" + undecided, {"off"}, rolled_back("node2 (does not answer|has died)", 1, "node2"));
  cases.add({"target-node"}, {"full"}, committed);  // MPI warns, and goes without
  cases.add({"controller-decide"}, {"kill"}, ended("has ended without a word about the migration"));
  cases.with_shipped_deadlines("replacement-start:kill", 1);
  cases.with_shipped_deadlines("replacement-start:hang", 1);
  cases.with_shipped_deadlines("replacement-restore:kill", 1);
  cases.with_shipped_deadlines("replacement-restore:hang", timeout_status);
  cases.with_shipped_deadlines("source-chunk:cut", 1);
  cases.with_shipped_deadlines("target-agent-freeze:kill", 1);
  cases.with_shipped_deadlines("source-agent-ship:kill", 1);
  cases.with_shipped_deadlines("controller-ship:stop", 1);
  cases.with_shipped_deadlines("other-join:hang", 4);
  cases.with_recovery();
  return std::move(cases).take();
}

}  // namespace cppc::test
