/// The head of an image: all of its file but the contents of objects.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checksum.hpp"
#include "file_view.hpp"
#include "format.hpp"
#include "store.hpp"

namespace cppc::image {

/// What is left of a file when the contents, which must lie in it without overlap, are taken out; in rising order.
/// Nothing when they do not.
std::optional<std::vector<Range>> head_ranges(std::vector<Range> contents, std::uint64_t file_bytes);

/// Over these pieces, of which the first begins with the header, but not over the header's checksum itself. Throws
/// std::bad_alloc.
Checksum checksum_of_head(std::span<const std::span<const std::byte>> pieces);

}  // namespace cppc::image
