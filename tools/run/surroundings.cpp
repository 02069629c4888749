#include "surroundings.hpp"

#include "mpirun_command.hpp"
#include "remote_command.hpp"

namespace cppc::run {
namespace {

// To go on from a checkpoint a little too often costs less than to stand still for long.
constexpr std::chrono::milliseconds silence_with_recovery{2500};

}  // namespace

std::chrono::milliseconds silence_of(const CheckpointOptions& checkpoints) {
  return checkpoints.recoveries > 0 ? silence_with_recovery : usual_silence;
}

Reach by_remote_shell(const Surroundings& around) {
  return [&around, shell = launch::find_remote_shell(remote_shells(around.contexts, around.present))](
             const AllocatedNode& node, const std::vector<std::string>& words) {
    constexpr std::chrono::seconds timeout{10};
    if (around.machine.is_local(node.name)) return true;
    std::vector<std::string> command = shell;
    command.push_back(node.name);
    command.insert(command.end(), words.begin(), words.end());
    const auto answer = tools::run_command(command, around.present, timeout);
    return answer && answer->status == 0;
  };
}

}  // namespace cppc::run
