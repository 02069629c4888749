/// Other ways to make checkpoints, where this machine has them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cppc::bench {

struct Compared {
  nlohmann::ordered_json figures;  ///< null if there are none,
  std::string reason;              ///< for this reason
};

/// DMTCP: `checkpoints` of heat with these ranks on this machine, uncompressed, one after the other. All processes
/// stand still for the whole of each.
Compared measure_dmtcp(int ranks, int megabytes, int checkpoints);

/// SCR and VeloC: libraries that a program has to call itself.
Compared measure_scr_or_veloc();

}  // namespace cppc::bench
