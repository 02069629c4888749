/// The checksum of an image: XXH3-128, which finds accidents, not forgery.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace cppc::image {

using Checksum = std::array<std::byte, 16>;

/// Of all bytes of an image but those of the header that hold the checksum. `file` holds at least the header. Throws
/// std::bad_alloc.
Checksum checksum_of_file(std::span<const std::byte> file);

}  // namespace cppc::image
