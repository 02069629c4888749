/// Tells whether files on two nodes are the same program.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::migration {

/// The build id that the linker has given the program, else a hash of the whole file. Of a running process, ask for
/// /proc/PID/exe: that is what it runs, whatever has become of the file since. CPPC_ERR_SYSTEM, logged, when it cannot
/// be read.
tl::expected<std::string, cppc_status> program_id(const std::filesystem::path& program);

}  // namespace cppc::migration
