/// The options that are cppc-run's own. They come before those of mpirun.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "network_access.hpp"
#include "parity_groups.hpp"

namespace cppc::run {

using namespace tools;

/// Times are whole seconds.
struct CheckpointOptions {
  std::string directory;                      ///< for checkpoints, absolute; empty: none is named
  std::optional<std::chrono::seconds> every;  ///< so often one is made
  std::string restart;                   ///< the checkpoint, or directory of some, to start from; empty: the beginning
  int recoveries = 0;                    ///< how often a job that has lost a rank or a node is started again
  bool in_memory = false;                ///< checkpoints are in the memory of nodes
  std::optional<ErasureCode> code = {};  ///< with parities instead of second copies
};

struct OwnOptions {
  std::optional<NetworkAccess> network;
  bool preload = false;  ///< programs get libcppc as they start
  CheckpointOptions checkpoints;
  std::string site_moves = {};    ///< when others may move ranks, as SiteMoves::parse() takes it; empty: always
  std::vector<std::string> rest;  ///< mpirun's arguments
};

bool is_own_option(const std::string& name);

/// Errors: a value that is missing or wrong, options that need others.
Result<OwnOptions> take_own_options(std::vector<std::string> arguments);

}  // namespace cppc::run
