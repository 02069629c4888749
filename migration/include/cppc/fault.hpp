/// Fault points: named places at which a test lets a process fail. Nothing happens there unless CPPC_FAULT says so.
///
/// CPPC_FAULT=PLACE:ACTION[:NTH[+]], for the NTH time (default: first) that a process comes to the place, with + from
/// then on each time. Places are named ROLE-STEP. Roles: source, replacement, other (ranks); source-agent,
/// target-agent, other-agent, substitute (of an agent that has died); of a checkpoint saver (a rank) and saving-agent;
/// restarted (a rank that goes on from a checkpoint); keeper; controller. Actions:
///   kill     the process dies of SIGKILL
///   hang     it waits for ever
///   stop     it stops, of SIGSTOP, until it is continued
///   delay    it waits for two seconds
///   enomem   what it was about to do fails for want of memory; nothing where nothing can fail
///   enospc   likewise, as the operating system refuses
///   corrupt  what it was about to read or to say is spoiled
///   cut      its connection to the other side of the step is lost
///
/// CPPC_FAULT_RECORD=FILE, which does not exist: it is made when the fault strikes, and then no other process of the
/// job fails any more.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "cppc/status.h"

namespace cppc::fault {

/// The process has come to this place: for all actions but those below. Thread-safe. An error for enomem
/// (CPPC_ERR_MEMORY) and enospc (CPPC_ERR_SYSTEM).
tl::expected<void, cppc_status> at(std::string_view place);

/// The process has come to this place. Whether its caller is to spoil something there (`corrupt`), or to lose its
/// connection (`cut`): the caller alone knows which. Thread-safe.
bool corrupts(std::string_view place);
bool cuts(std::string_view place);

/// What is wrong with the value of CPPC_FAULT; empty: nothing.
std::string_view validation_error(std::string_view value);

}  // namespace cppc::fault
