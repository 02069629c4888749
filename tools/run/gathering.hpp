/// Images of a set, from the memory of its nodes into files of this machine.
#pragma once

#include <filesystem>

#include "image_set.hpp"
#include "keeper_links.hpp"

namespace cppc::run {

/// One after the other, with memory for a chunk. They have the names and checksums of a checkpoint's files, and are on
/// storage when this is done.
Result<void> gather_images(const KeeperLinks& links, const ImageSet& set, const std::filesystem::path& directory);

}  // namespace cppc::run
