/// Which faults there are, and what must become of the job.
#include "fault_cases.hpp"

#include <algorithm>
#include <cstdlib>

namespace cppc::test {
namespace {

struct Agent {
  std::string role;
  std::string node;
};
const std::vector<Agent> kAgents{{"source-agent-", "node0"}, {"target-agent-", "node2"}, {"other-agent-", "node1"}};

const std::vector<std::string> kUndecided{"prepare", "negotiate", "freeze", "ship"};
const Expectation kCommitted{Fate::committed};

Expectation ended(const std::string& message, int status = 4) { return {Fate::ended, status, message}; }

void add_replacements(FaultCases& cases) {
  const Expectation has_died = rolled_back("the replacement of rank . on node2 has died");
  const Expectation cannot_take_over = rolled_back("the replacement of rank . on node2 cannot take over");
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
  cases.add("replacement-" + std::vector<std::string>{"start", "receive", "restore"}, {"delay"}, kCommitted);
  cases.add({"replacement-start"}, {"enomem", "enospc"}, rolled_back("this replacement cannot start"));
  cases.add({"replacement-receive", "replacement-restore"}, {"enomem", "enospc"}, cannot_take_over);
}

void add_images(FaultCases& cases) {
  const Expectation either_side = rolled_back("cannot (send its image|take over)");
  cases.add({"replacement-chunk", "source-chunk", "source-pack", "source-ship"}, {"delay"}, kCommitted);
  cases.add({"replacement-chunk", "source-chunk"}, {"enomem", "cut"}, either_side);
  // Whose agent is the first to see it.
  cases.add({"replacement-chunk"}, {"kill"},
            rolled_back("the replacement of rank . on node2 has died|rank . on node0 cannot send its image"));
  cases.add({"replacement-chunk"}, {"hang"}, rolled_back("has not arrived in time", timeout_status));
  cases.add({"replacement-chunk"}, {"corrupt"}, kCommitted);
  cases.add({"replacement-chunk"}, {"corrupt:1+"}, either_side);
  cases.add({"replacement-head"}, {"corrupt"}, either_side);
  cases.add({"source-pack", "source-ship"}, {"enomem", "enospc"}, rolled_back("rank . on node0 cannot send its image"));
}

/// Before they promise to commit and after they have heard the decision.
void add_agents(FaultCases& cases) {
  for (const auto& [role, node] : kAgents) {
    const Expectation gone = rolled_back("the agent of " + node + " has died", 1, node);
    const Expectation silent = rolled_back("the agent of " + node + " does not answer", 1, node);
    // Who sees it first: mpirun, or whoever waits for it in the commit.
    const Expectation damaged = ended("the agent of " + node + " has died|has ended with status|has not ended within");
    cases.add(role + kUndecided, {"kill", "corrupt", "cut"}, gone);
    cases.add(role + kUndecided, {"hang"}, silent);
    cases.add(role + kUndecided, {"delay"}, kCommitted);
    cases.add(role + kUndecided, {"enomem", "enospc"}, rolled_back("fails on request"));
    cases.add({role + "decide"}, {"kill", "corrupt", "cut"}, gone);
    cases.add({role + "decide"}, {"hang"}, silent);
    cases.add({role + "decided", role + "commit"}, {"kill"}, damaged);
    cases.add({role + "decided", role + "commit"}, {"hang"}, ended("has not ended within"));
    // An agent that knows the decision commits without the controller; the leader's substitute tells of the end.
    cases.add({role + "decided", role + "commit"}, {"corrupt", "cut"}, kCommitted);
    cases.add(role + std::vector<std::string>{"decide", "decided", "commit"}, {"delay"}, kCommitted);
  }
}

/// The agent of a node with ranks has died before: of another node than the target's and, in a move, the source's.
/// Others reach its substitute by way of the controller alone.
void add_substitutes(FaultCases& cases) {
  const std::string role(substitute_places);
  const Expectation gone = rolled_back("the agent of node. has died");
  cases.add(role + kUndecided, {"kill", "cut"}, gone);
  cases.add({role + "freeze"}, {"hang"}, rolled_back("the agent of node. does not answer"));
  cases.add({role + "ship"}, {"enomem"}, rolled_back("fails on request"));
  cases.add({role + "decide"}, {"kill"}, gone);
  cases.add({role + "decided", role + "commit"}, {"kill"}, ended("has ended with status"));
  cases.add({role + "decided"}, {"cut"}, ended("an agent without MPI cannot be told"));
  cases.add({role + "commit"}, {"hang"}, ended("has not ended within"));
  cases.add(role + std::vector<std::string>{"decided", "commit"}, {"delay"}, kCommitted);
}

void add_ranks(FaultCases& cases) {
  cases.add({"source-arrive", "other-arrive", "replacement-join", "source-join", "other-join", "controller-decide"},
            {"delay"}, kCommitted);
  cases.add({"source-arrive", "source-pack", "source-ship", "source-chunk", "other-arrive"}, {"kill"},
            ended("has ended with status"));
  cases.add({"replacement-join", "source-join", "other-join"}, {"kill"}, ended("has ended with status"));
  cases.add({"replacement-join", "source-join", "other-join"}, {"hang"}, ended("has not ended within"));
}

void add_from_outside(FaultCases& cases) {
  cases.add({"network-negotiate"}, {"cut"}, rolled_back("the job has not confirmed it", timeout_status));
  // Connections that are made meanwhile wait; one that is there is lost.
  cases.add({"network-freeze", "network-ship"}, {"cut"}, kCommitted);
  cases.add({"network-chunk"}, {"cut"}, rolled_back("cannot (send its image|take over)"));
  cases.add({"controller-negotiate", "controller-freeze", "controller-ship"}, {"stop"},
            rolled_back("cppc-run has not answered within"));
  cases.add("node-" + kUndecided, {"off"}, rolled_back("node2 (does not answer|has died)", 1, "node2"));
  cases.add({"target-node"}, {"full"}, kCommitted);  // MPI warns, and goes without
  cases.add({"controller-decide"}, {"kill"}, ended("has ended without a word about the migration"));
}

/// Once more, as it is but for the deadlines.
void add_with_shipped_deadlines(std::vector<FaultCase>& all, const std::string& name, int status) {
  const auto found = std::ranges::find(all, name, &FaultCase::name);
  if (found == all.end()) std::abort();
  FaultCase one = *found;
  one.shipped_deadlines = true;
  one.expected.status = status;
  all.push_back(std::move(one));
}

/// Each that ends a job, with one that recovers. `migrate` has status 1 when mpirun has ended by itself, and the job's
/// if the controller had to end it, or has gone.
void add_with_recovery(std::vector<FaultCase>& all) {
  for (std::size_t i = 0, count = all.size(); i < count; ++i) {
    FaultCase one = all[i];
    if (one.expected.fate != Fate::ended) continue;
    one.recovers = true;
    one.expected.fate = Fate::recovered;
    if (one.place.starts_with(controller_places)) {
      one.expected.message = " is taken up from memory:1,";
    } else if (one.action == "hang") {
      one.expected.message = "lost with status 4; it is started again from memory:1,";
    } else {
      one.expected.status = 1;
      one.expected.message = "lost with status (137|203); it is started again from memory:1,";
    }
    all.push_back(std::move(one));
  }
}

}  // namespace

std::vector<FaultCase> all_fault_cases() {
  FaultCases cases;
  add_replacements(cases);
  add_images(cases);
  add_agents(cases);
  add_substitutes(cases);
  add_ranks(cases);
  add_from_outside(cases);
  std::vector<FaultCase>& all = cases.all();
  add_with_shipped_deadlines(all, "replacement-start:kill", 1);
  add_with_shipped_deadlines(all, "replacement-start:hang", 1);
  add_with_shipped_deadlines(all, "replacement-restore:kill", 1);
  add_with_shipped_deadlines(all, "replacement-restore:hang", timeout_status);
  add_with_shipped_deadlines(all, "source-chunk:cut", 1);
  add_with_shipped_deadlines(all, "target-agent-freeze:kill", 1);
  add_with_shipped_deadlines(all, "source-agent-ship:kill", 1);
  add_with_shipped_deadlines(all, "controller-ship:stop", 1);
  add_with_shipped_deadlines(all, "other-join:hang", 4);
  add_with_recovery(all);
  add_checkpoint_cases(cases);
  return std::move(all);
}

}  // namespace cppc::test
