/// Fault points: named places at which a test lets a process fail. Nothing happens there unless CPPC_FAULT says so.
///
/// CPPC_FAULT=PLACE:ACTION[:NTH], for the NTH time (default: first) that a process comes to the place. Places are named
/// ROLE-STEP. Roles: leaver, newcomer, stayer (ranks); source-agent, target-agent, other-agent; controller.
/// Actions:
///   kill     the process dies of SIGKILL
///   hang     it waits for ever
///   delay    it waits for two seconds
///   enomem   what it was about to do fails for want of memory
///   enospc   likewise, as the operating system refuses
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::fault {

/// The process has come to this place. Thread-safe. An error for enomem (CPPC_ERR_MEMORY) and enospc (CPPC_ERR_SYSTEM).
tl::expected<void, cppc_status> at(std::string_view place);

/// What is wrong with the value of CPPC_FAULT; empty: nothing.
std::string_view complaint(std::string_view value);

}  // namespace cppc::fault
