#include "fault_run.hpp"

#include <filesystem>
#include <thread>

namespace cppc::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kUntilRunning = 120s, kGone = 60s;

/// Short, for processes that hang.
const std::vector<std::string> kDeadlines{"CPPC_DEADLINE_START=5", "CPPC_DEADLINE_ARRIVE=3", "CPPC_DEADLINE_DRAIN=3",
                                          "CPPC_DEADLINE_SHIP=5",  "CPPC_DEADLINE_DECIDE=5", "CPPC_DEADLINE_COMMIT=8",
                                          "CPPC_DEADLINE_LEAVE=3"};

std::string leftovers(const Cluster& cluster, const std::vector<std::string>& nodes) {
  std::string left;
  for (const auto& node : nodes) {
    for (const auto& program : {app("heat"), tool("cppc-agent"), tool("cppc-keeper"), std::string("/usr/bin/orted")})
      for (const pid_t process : cluster.processes(node, program))
        left += node + ": " + program + ", process " + std::to_string(process) + '\n';
    const std::string files = cluster.run(node, {"ls", "/dev/shm"}).output;
    if (!files.empty()) left += node + ": in /dev/shm: " + files;
  }
  return left;
}

}  // namespace

FaultSettings::FaultSettings(const FaultCase& one, const std::string& point) {
  if (!one.shipped_deadlines) all_ = kDeadlines;
  add("CPPC_FAULT=" + point);
  add("CPPC_FAULT_RECORD=" + folder_.file("struck"));
}

bool FaultSettings::struck() const { return std::filesystem::exists(folder_.file("struck")); }

bool went_on_from_memory(const std::string& messages, std::size_t since) {
  return messages.find("it is started again from memory:", since) != std::string::npos ||
         messages.find(" is taken up from memory:", since) != std::string::npos;
}

bool await_state_running(Job& job) {
  const auto deadline = std::chrono::steady_clock::now() + kUntilRunning;
  while (job.process().running() && std::chrono::steady_clock::now() < deadline) {
    if (const auto status = job.status(); status.is_object() && status.value("state", "") == "running") return true;
    std::this_thread::sleep_for(50ms);
  }
  return false;
}

std::string take_up(Job& job) {
  std::string messages = job.wait().errors;
  job.resume();
  (void)await_state_running(job);
  return messages;
}

Answer conclude(HeatScene& scene, FaultResult& result) {
  const Answer answer = scene.finish();
  result.messages += answer.errors;
  if (answer.status != 0) {
    result.fate = Fate::ended;
    return answer;
  }
  if (went_on_from_memory(answer.errors)) result.fate = Fate::recovered;
  result.right = !answer.checksum.empty() && answer.checksum == scene.undisturbed(answer).checksum;
  return answer;
}

/// mpirun does not wait for what it kills.
std::string what_stays(const Cluster& cluster, const std::vector<std::string>& nodes) {
  const auto deadline = std::chrono::steady_clock::now() + kGone;
  std::string left = leftovers(cluster, nodes);
  while (!left.empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(200ms);
    left = leftovers(cluster, nodes);
  }
  return left;
}

}  // namespace cppc::test
