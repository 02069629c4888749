/// What stays the same when a job is started again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "../common/command.hpp"
#include "allocation.hpp"
#include "descriptor_limit.hpp"
#include "keepers.hpp"
#include "launcher.hpp"
#include "own_options.hpp"
#include "resource_manager/resource_manager.hpp"
#include "resume_record.hpp"
#include "site.hpp"

namespace cppc::run {

struct Surroundings {
  const std::vector<Context>& contexts;
  const OwnOptions& options;
  const Machine machine;
  const Environment present;
  ResourceManager* manager;  ///< none, or what the nodes are from
  const std::filesystem::path directory;
  const std::optional<NetworkAccess> network;
  const SiteMoves site_moves;
  const DescriptorLimit limit;
  const SignalGate gate;
  Keepers* keepers;    ///< none: images are in a directory
  ResumeFile* record;  ///< none: the job cannot be resumed
};

/// After so long a node is lost.
std::chrono::milliseconds silence_of(const CheckpointOptions& checkpoints);

/// Whether a node answers, and a command there succeeds: nodes are reached as mpirun reaches them.
using Reach = std::function<bool(const AllocatedNode& node, const std::vector<std::string>& words)>;
Reach by_remote_shell(const Surroundings& around);

}  // namespace cppc::run
