/// Starting a job from a checkpoint instead of from its beginning.
#pragma once

#include <filesystem>
#include <vector>

#include "mpirun_options.hpp"
#include "store.hpp"

namespace cppc::run {

/// The checkpoint that the path leads to, or the newest in that directory, if all of its files are there and it is of
/// these programs and as many ranks; a single context that does not say how many gets their number. What a checkpoint
/// is of the ranks compare once more, in the images.
Result<checkpoint::Checkpoint> choose_checkpoint(const std::filesystem::path& path, std::vector<Context>& contexts);

}  // namespace cppc::run
