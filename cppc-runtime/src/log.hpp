/// The runtime's log: standard error, one line a message, "cppc: rank 3 on node1: error: ...".
#pragma once

#include <spdlog/logger.h>

#include <string_view>

#include "cppc/status.h"

namespace cppc {

spdlog::logger& log();

/// Names the rank in messages from now on.
void set_log_rank(int rank);

/// Ends a process that would otherwise go on with a wrong state: logs `message` with the text of `status`, does what
/// before_death() asks for, and exits with status 1, without the exit handlers of the program.
[[noreturn]] void die(cppc_status status, std::string_view message);

/// `last_act` is called by die(), and need not return; null: nothing.
void before_death(void (*last_act)(cppc_status status));

}  // namespace cppc
