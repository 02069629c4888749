/// Names that ranks, agents and tools have to agree on for a checkpoint, which is a directory with a file for each
/// rank.
#pragma once

#include <string>

namespace cppc::checkpoint {

/// In the environment of ranks that are restarted: the directory of the checkpoint.
inline constexpr const char* restart_variable = "CPPC_RESTART";

/// Of the job that makes it: a file with the job's id, by which nodes know that they see the same directory.
inline constexpr const char* job_file = "job";

inline std::string image_file(int rank) { return "rank" + std::to_string(rank) + ".h5"; }

}  // namespace cppc::checkpoint
