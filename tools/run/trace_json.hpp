/// A migration in Chrome's trace format, which Perfetto and chrome://tracing show: a lane for cppc-run, for each agent
/// that ranks leave or come to and for the leader, and for each rank. Times are those at which cppc-run was told.
#pragma once

#include <nlohmann/json.hpp>

#include "job.hpp"

namespace cppc::run {

/// Until now, if it is not over. Agent i is on description.nodes[i].
nlohmann::json trace(const Job::Description& description, const Migration& migration);

}  // namespace cppc::run
