/// What Open MPI leaves on a node when an mpirun has lost its connection to it: then its daemon there may end before it
/// has removed the shared memory of the ranks.
#pragma once

#include <filesystem>
#include <span>

namespace cppc::migration {

/// Of the mpirun that has started this process: what Open MPI calls the family of its jobs. 0: none has.
int own_mpirun();

/// Removes from `directory` the shared memory of this user's processes that these mpiruns, which have ended, had
/// started. What cannot be removed is left, and logged.
void remove_remains(std::span<const int> mpiruns, const std::filesystem::path& directory = "/dev/shm");

}  // namespace cppc::migration
