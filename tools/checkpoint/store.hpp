/// A directory of checkpoints: DIR/1, DIR/2, ..., each complete. One that is being made has another name, so that
/// nobody takes it for one; it gets its number when all of it is on storage.
///
/// Functions may wait for a file system, and log nothing. Any thread; several jobs may use a directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "manifest.hpp"

namespace cppc::checkpoint {

/// One that is being made.
struct Draft {
  std::filesystem::path directory;  ///< for the ranks' files
  std::filesystem::path complete;   ///< its name when it is complete
  std::string job;
  std::uint64_t set = 0;  ///< not in a directory, but in the memory of nodes: the number of the set; the names say so
  /// Where this machine gathers the images of the set; its name is `complete` then. Empty: they stay in memory.
  std::filesystem::path gathered = {};
};

/// Makes the directory, if it is not there, and in it that of a new checkpoint.
Result<Draft> begin(const std::filesystem::path& directory, const std::string& job);

/// All files that the manifest lists are on storage: writes the manifest and gives the checkpoint its name. Of those
/// that the same job has made before, all but the last are removed.
Result<void> complete(const Draft& draft, const Manifest& manifest);

/// It is given up. What cannot be removed stays; nobody takes it for a checkpoint.
void discard(const Draft& draft);

/// Those that the job has begun before and that nobody goes on with.
void discard_drafts(const std::filesystem::path& directory, const std::string& job);

struct Checkpoint {
  std::filesystem::path directory;
  Manifest manifest;
};

/// Those of a job, the newest first; damaged manifests are left out. An error when the directory cannot be read.
Result<std::vector<Checkpoint>> all_of(const std::filesystem::path& directory, const std::string& job);

/// The checkpoint that the path leads to, or the newest one in that directory.
Result<Checkpoint> find(const std::filesystem::path& path);

}  // namespace cppc::checkpoint
