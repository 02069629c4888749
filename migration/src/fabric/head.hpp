/// The head of an image on its way: where its extents belong, then the extents.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fabric.hpp"

namespace cppc::fabric {

/// What goes in front of the extents.
std::vector<std::byte> encode_table(std::span<const Extent> head);

/// The extents in `bytes`, which a table is in front of. Nothing when it makes no sense.
std::optional<std::vector<Extent>> decode_head(std::span<const std::byte> bytes);

}  // namespace cppc::fabric
