/// Faults of a checkpoint in memory and of a recovery, and what must become of the job: with a complete set it goes on,
/// or is started again from that.
#include "fault_cases.hpp"

namespace cppc::test {
namespace {

using Request = FaultCase::Request;

const Expectation kSaved{Fate::committed};
const std::string kOneParity = "rs:2+1", kTwoParities = "rs:2+2";

Expectation recovered(int status, const std::string& message = "it is started again from memory:1,") {
  return {Fate::recovered, status, message};
}

/// Which of the three agents comes to its place first decides whose fault it is: all are alike in a checkpoint.
void add_saving_agents(FaultCases& cases) {
  const auto steps = "saving-agent-" + std::vector<std::string>{"prepare", "negotiate", "freeze", "write"};
  cases.add(steps, {"kill", "corrupt", "cut"}, rolled_back("the agent of node. has died"), Request::checkpoint);
  cases.add(steps, {"hang"}, rolled_back("the agent of node. does not answer"), Request::checkpoint);
  cases.add(steps, {"enomem", "enospc"}, rolled_back("fails on request"), Request::checkpoint);
  cases.add(steps, {"delay"}, kSaved, Request::checkpoint);
}

/// A rank that hangs as it stands keeps the job from going on, as it does in the program: nobody can tell.
void add_savers(FaultCases& cases) {
  cases.add({"saver-copy", "saver-write"}, {"kill"}, recovered(1), Request::checkpoint);
  cases.add({"saver-write"}, {"hang"}, rolled_back("write has not ended within"), Request::checkpoint);
  cases.add({"saver-copy"}, {"enomem", "enospc"}, rolled_back("rank . on node. cannot make its image"),
            Request::checkpoint);
  cases.add({"saver-write"}, {"enomem", "enospc"}, rolled_back("rank . on node.: "), Request::checkpoint);
  cases.add({"saver-copy", "saver-write"}, {"delay"}, kSaved, Request::checkpoint);
}

/// A keeper that stops answers nobody, and is replaced before the next checkpoint.
void add_keepers(FaultCases& cases) {
  const Request request = Request::checkpoint;
  const Expectation has_ended = rolled_back("its keeper has ended"), is_silent = rolled_back("does not answer");
  // The keeper of node1 copies, and gets copies: which of the two is seen first.
  const Expectation not_copied = rolled_back("its keeper has ended|the image of rank . cannot be copied to");
  const Expectation no_parity = rolled_back("parity . of ranks . and . cannot be made: rank .");
  cases.add({"keeper-begin", "keeper-make"}, {"kill", "stop"}, rolled_back("the keeper of this node cannot be reached"),
            request);
  cases.add({"keeper-make"}, {"enomem", "enospc"}, rolled_back("rank . on node.: "), request);
  cases.add({"keeper-copy", "keeper-receive"}, {"kill"}, not_copied, request);
  cases.add({"keeper-copy", "keeper-receive"}, {"stop"}, is_silent, request);
  cases.add({"keeper-encode"}, {"kill"}, has_ended, request, kOneParity);
  cases.add({"keeper-difference"}, {"kill"}, no_parity, request, kOneParity);
  cases.add({"keeper-encode", "keeper-difference"}, {"stop"}, is_silent, request, kOneParity);
  // What cannot be done once is done again.
  cases.add({"keeper-copy", "keeper-receive"}, {"enomem", "enospc", "delay"}, kSaved, request);
  cases.add({"keeper-encode", "keeper-difference"}, {"enomem", "enospc", "delay"}, kSaved, request, kOneParity);
  // All images are there, and elsewhere as well.
  cases.add({"keeper-complete"}, {"kill", "stop"}, kSaved, request);
  cases.add({"keeper-begin", "keeper-make", "keeper-complete"}, {"delay"}, kSaved, request);
  // Of a checkpoint that fails since a rank does not come by.
  cases.add({"keeper-discard"}, {"kill", "stop", "delay"},
            rolled_back("given up on request before rank . has come by", timeout_status), request);
}

/// A keeper is lost in addition to a node.
void add_recoveries(FaultCases& cases) {
  cases.add("keeper-" + std::vector<std::string>{"locate", "find", "rebuild"}, {"kill", "stop", "delay"}, recovered(0),
            Request::recover, kTwoParities);
  cases.add({"keeper-rebuild"}, {"enomem", "enospc"}, recovered(0), Request::recover, kTwoParities);
  cases.add({"restarted-restore", "restarted-join"}, {"kill", "delay"}, recovered(0), Request::recover);
}

void add_storing(FaultCases& cases) {
  const std::string taken_up = " is taken up from memory:1,";
  cases.add({"controller-store"}, {"kill"}, recovered(4, taken_up), Request::checkpoint);
  cases.add({"controller-store"}, {"delay"}, kSaved, Request::checkpoint);
  cases.add({"controller-restart"}, {"kill"}, recovered(0, taken_up), Request::recover);
}

}  // namespace

void add_checkpoint_cases(FaultCases& cases) {
  add_saving_agents(cases);
  add_savers(cases);
  add_keepers(cases);
  add_recoveries(cases);
  add_storing(cases);
}

}  // namespace cppc::test
