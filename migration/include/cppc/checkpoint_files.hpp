/// Names that ranks, agents and tools have to agree on for a checkpoint: a directory with a file for each rank, or a
/// set of images in the memory of the nodes' keepers (cppc/keeper.hpp).
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cppc::checkpoint {

/// In the environment of ranks that are restarted: the checkpoint.
inline constexpr const char* restart_variable = "CPPC_RESTART";

/// Exit status of a rank that is restarted, and whose image cannot be had from its keeper: the job is lost once more.
inline constexpr int no_image_status = 200;

/// Exit status of a rank whose agent is lost while a collective operation is withdrawn: the job is lost.
inline constexpr int lost_agent_status = 201;

/// Exit status of an agent that cannot complete a migration which has been decided: the job is lost.
inline constexpr int damaged_status = 203;

/// In their environment when threads of the program call MPI at the same time: CPPC_SEVERAL_THREADS of cppc/hooks.h.
inline constexpr const char* several_threads_variable = "CPPC_SEVERAL_THREADS";

/// Exit status of a rank that is restarted without that although its threads do: the job is to be started once more.
inline constexpr int several_threads_status = 202;

/// Of the job that makes it: a file with the job's id, by which nodes know that they see the same directory.
inline constexpr const char* job_file = "job";

/// The name of a set of images that keepers have, in place of a directory.
inline std::string in_memory(std::uint64_t set) { return "memory:" + std::to_string(set); }

/// Which set that is; none: it is a directory.
inline std::optional<std::uint64_t> set_in_memory(std::string_view checkpoint) {
  constexpr std::string_view prefix = "memory:";
  if (!checkpoint.starts_with(prefix)) return std::nullopt;
  std::uint64_t set = 0;
  const auto read = std::from_chars(checkpoint.data() + prefix.size(), checkpoint.data() + checkpoint.size(), set);
  return read.ec == std::errc{} && read.ptr == checkpoint.data() + checkpoint.size() ? std::optional(set)
                                                                                     : std::nullopt;
}

inline std::string image_file(int rank) { return "rank" + std::to_string(rank) + ".h5"; }

}  // namespace cppc::checkpoint
