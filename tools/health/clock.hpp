/// Time for decisions, which goes on steadily whatever is done to the wall clock, and time for people.
#pragma once

#include <string>

#include "engine.hpp"

namespace cppc::health {

/// Since this machine was started.
Time time_since_boot();
/// Another for each start of the machine.
std::string boot_id();
/// "2026-11-22T19:47:10.893Z"
std::string wall_time();

}  // namespace cppc::health
