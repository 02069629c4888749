/// Who works with a state directory: one cppc-health at a time.
#pragma once

#include <filesystem>

#include "../common/result.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::health {

using tools::Result;

/// Held until it is closed, or its process ends. Makes the directory, for this user alone. An error names who has it.
Result<UniqueFd> lock_state(const std::filesystem::path& directory);

}  // namespace cppc::health
