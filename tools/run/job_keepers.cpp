#include "job_keepers.hpp"

#include <spdlog/spdlog.h>

#include <map>
#include <set>

#include "../common/job_directory.hpp"
#include "cppc/checkpoint_files.hpp"
#include "recovery.hpp"
#include "remote_command.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using tools::error;

// What users have set for all processes of the job.
std::map<std::string, std::string> keepers_environment(const Environment& present) {
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : present)
    if (name == "CPPC_LOG" || name.starts_with("CPPC_FAULT") || name.starts_with("CPPC_DEADLINE_"))
      environment.emplace(name, value);
  return environment;
}

}  // namespace

Result<std::unique_ptr<Keepers>> make_keepers(const Surroundings& around, const Allocation& allocation,
                                              const JobSettings& settings, const std::string& key,
                                              const ResumeRecord* record) {
  const auto way_to = [&around, shell = launch::find_remote_shell(remote_shells(around.contexts, around.present))](
                          const AllocatedNode& node) {
    std::vector<std::string> command;
    if (around.machine.is_local(node.name)) return command;
    command = shell;
    command.push_back(node.name);
    return command;
  };
  const CheckpointOptions& checkpoints = around.options.checkpoints;
  const Keepers::Settings how{
      {settings.job, key, settings.keeper, way_to, std::chrono::ceil<std::chrono::seconds>(silence_of(checkpoints)),
       keepers_environment(around.present), /*outlive=*/checkpoints.in_memory},
      checkpoints.in_memory,
      checkpoints.code};
  if (record != nullptr) return Keepers::resume(how, record->nodes);
  if (!checkpoints.in_memory) return std::make_unique<Keepers>(how, allocation.nodes);
  return Keepers::start(how, allocation.nodes);
}

Result<void> take_up(const Surroundings& around, const ResumeRecord& record, Allocation& allocation,
                     JobSettings& settings) {
  const std::uint64_t set = around.keepers->newest();
  if (set == 0) return error("the keepers of " + record.job + " do not have a complete set of images");
  const auto reaches = by_remote_shell(around);
  std::set<std::string> silent;
  for (const AllocatedNode& node : around.keepers->missing())
    if (!reaches(node, {"true"})) silent.insert(node.name);
  for (const std::string& name : silent) spdlog::error("{} does not answer: the job goes on without it", name);
  allocation.nodes = record.nodes;
  allocation.named = true;
  auto left = without(allocation, silent);
  if (!left) return error("no node is left to start " + record.job + " on");
  allocation = *std::move(left);
  settings.restart = checkpoint::in_memory(set);
  spdlog::error("{} is taken up from {}, on {}", record.job, settings.restart, names_of(allocation.nodes));
  around.keepers->prepare_start(set, allocation.nodes);
  // Nobody listens there any more.
  std::error_code ignored;
  fs::remove(tools::api_socket(around.directory, record.job), ignored);
  fs::remove(settings.launch_socket, ignored);
  return {};
}

}  // namespace cppc::run
