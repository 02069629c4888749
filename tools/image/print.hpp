/// Images as text, on stdout.
#pragma once

#include <tl/expected.hpp>

#include "cppc/image.hpp"

namespace cppc::image {

/// A table of all objects: path, type, number of elements, bytes, bytes stored.
void print_list(const Reader& reader);

/// The values of an object. Lines that repeat the one before are shown as "*".
tl::expected<void, cppc_status> print_values(const Reader& reader, const Entry& entry);

}  // namespace cppc::image
