/// Processes that Open MPI's daemon has started on this node for ranks, as the system tells of them: what an agent
/// knows before they have anything to do with it, which those without libcppc never will.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace cppc::migration {

/// The program of a rank that has Open MPI's library and not libcppc: to it, agents are ranks of its own. To be called
/// when all processes of the job have come through MPI_Init.
std::optional<std::string> program_without_libcppc();

/// Whether all ranks of this node have ended. For an agent that is still in MPI_Init, where it would wait for them.
class RankWatch {
 public:
  RankWatch();
  /// Asked again and again. The daemon may take some time to start them.
  bool all_have_ended();

 private:
  bool has_ranks_;  ///< some are to be here
  bool seen_ = false;
  std::chrono::steady_clock::time_point last_;  ///< when one was seen; before that, when this was made
};

}  // namespace cppc::migration
