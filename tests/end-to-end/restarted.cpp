#include "restarted.hpp"

#include <fstream>
#include <thread>

namespace cppc::test {
namespace {

/// Spread over the run: before the checkpoint, in case that it does not come about at the first one, and after it.
constexpr int kHolds = 8;
constexpr auto kTimeout = std::chrono::milliseconds(200);
constexpr auto kLook = std::chrono::milliseconds(5);

int count_holds(const std::string& output) {
  int count = 0;
  for (std::size_t at = output.find("hold: "); at != std::string::npos; at = output.find("hold: ", at + 1)) ++count;
  return count;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

RestartedJob::RestartedJob(const Cluster& cluster, const Folder& folder, const Program& program,
                           std::vector<std::string> command, int migrations, unsigned seed,
                           std::vector<std::string> options)
    : cluster_(&cluster),
      go_on_file_(folder.file("go-on")),
      checkpoints_(folder.file("checkpoints")),
      options_(std::move(options)),
      command_(std::move(command)) {
  std::mt19937 random(seed);
  const int stretch = program.steps * migrations / kHolds;  // at least 1
  std::string steps;
  for (int hold = 0; hold < kHolds; ++hold) {
    const int within = std::uniform_int_distribution<int>(0, stretch - 1)(random);
    steps += (hold > 0 ? "," : "") + std::to_string(hold * stretch + within);
  }
  command_.insert(command_.end(), {"--hold", go_on_file_, "--hold-at", steps});
}

std::vector<std::string> RestartedJob::placement(const std::vector<std::string>& own, const std::string& hosts) const {
  std::vector<std::string> all = options_;
  all.insert(all.end(), own.begin(), own.end());
  all.insert(all.end(),
             {"--mca", "mpi_yield_when_idle", "1", "-H", hosts, "--map-by", "node", "-n", std::to_string(kRanks)});
  return all;
}

/// Whether there is a checkpoint; then the program holds, or is about to.
bool RestartedJob::save(Job& job) {
  int released = 0;
  const auto holds = [&] { return count_holds(job.process().output()) > released; };
  const auto let_go = [&] {
    std::ofstream(go_on_file_).flush();
    ++released;
  };
  while (job.process().running() && !holds()) std::this_thread::sleep_for(kLook);
  Process checkpoint = job.start_migrate({"checkpoint", "--to", checkpoints_});
  while (checkpoint.running() && !contains(checkpoint.output(), "negotiate")) std::this_thread::sleep_for(kLook);
  let_go();
  for (auto held_since = std::chrono::steady_clock::now(); checkpoint.running() && job.process().running();) {
    std::this_thread::sleep_for(kLook);
    if (!holds()) held_since = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() - held_since > kTimeout) let_go();
  }
  const Finished saved = checkpoint.wait();
  while (job.process().running() && !holds()) std::this_thread::sleep_for(kLook);
  if (saved.status != 0) problems_ += "checkpoint: " + saved.output + saved.errors;
  if (!job.process().running()) problems_ += "the job has ended before it could be killed";
  return problems_.empty();
}

Finished RestartedJob::let_finish(Job& job) const {
  for (int released = 0; job.process().running(); std::this_thread::sleep_for(kLook)) {
    if (count_holds(job.process().output()) == released) continue;
    std::ofstream(go_on_file_).flush();
    ++released;
  }
  return job.wait();
}

Finished RestartedJob::run() {
  {
    Job first(*cluster_, placement({}, "node0:2,node1:2"), command_);
    first.await_running();
    if (!save(first)) return {};
    first.end();
    (void)first.wait();
  }
  Job second(*cluster_, placement({"--restart", checkpoints_}, "node2:2,node1:1,node0:1"), command_);
  return let_finish(second);
}

}  // namespace cppc::test
