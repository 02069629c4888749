/// What the file of a rank's image begins with: among other things, checksums of all that it has.
#pragma once

#include <cstdint>
#include <filesystem>

namespace cppc::checkpoint {

/// Tells one image from another without reading it. 0 when the file cannot be read.
std::uint64_t head_hash(const std::filesystem::path& file);

}  // namespace cppc::checkpoint
