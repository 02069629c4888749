/// The options that are cppc-run's own. They come before those of mpirun.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "network_access.hpp"

namespace cppc::run {

using namespace tools;

struct OwnOptions {
  std::optional<NetworkAccess> network;
  bool preload = false;           ///< programs get libcppc as they start
  std::vector<std::string> rest;  ///< mpirun's arguments
};

/// Errors: a value that is missing or wrong, options that need others.
Result<OwnOptions> take_own_options(std::vector<std::string> arguments);

}  // namespace cppc::run
