/// How long each step of a migration may take before it is undone. They only bound what never ends: no step of a
/// healthy job comes near them.
#pragma once

#include <chrono>

namespace cppc::migration::deadlines {

using namespace std::chrono_literals;

inline constexpr auto start = 60s;    ///< a replacement, from its spawning until it waits for its image
inline constexpr auto arrive = 120s;  ///< from the agreement until all ranks stand at the migration point
inline constexpr auto drain = 30s;    ///< while messages are in flight, from one to the next that arrives
inline constexpr auto build = 120s;   ///< an image
inline constexpr auto ship = 600s;    ///< an image, from its offer until the replacement has restored it
inline constexpr auto leave = 30s;    ///< a leaver, from the commit until its process is gone

}  // namespace cppc::migration::deadlines
