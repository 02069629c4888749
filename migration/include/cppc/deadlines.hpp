/// How long each step of a migration may take before it is undone, and what else has an end. They only bound what
/// never ends: no step of a healthy job comes near them. CPPC_DEADLINE_START and so on in the environment, in seconds,
/// replace them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cppc::deadlines {

using Seconds = std::chrono::seconds;

Seconds start();   ///< START: a replacement, from its spawning until it waits for its image; 60
Seconds arrive();  ///< ARRIVE: from the agreement until all ranks stand at the migration point; 120
Seconds drain();   ///< DRAIN: while messages are in flight, from one to the next that arrives; 30
Seconds ship();    ///< SHIP: an image, from its offer until the replacement has restored it; 600
Seconds decide();  ///< DECIDE: the controller, from the agents' promises until its word; 10
Seconds commit();  ///< COMMIT: from the decision until all ranks work again, else the job is ended; 60
Seconds leave();   ///< LEAVE: a source, from the commit until its process is gone; mpirun that is told to end; 30
Seconds keep();    ///< KEEP: a keeper has its images, without any word of cppc-run's; 600

/// What is wrong with the value of an environment variable; empty: nothing, or it is none of these.
std::string validation_error(std::string_view name, std::string_view value);

}  // namespace cppc::deadlines
