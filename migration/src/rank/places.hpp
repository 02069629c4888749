/// Where the contents of an image belong in the process that restores it.
#pragma once

#include <vector>

#include "../fabric.hpp"
#include "cppc/hooks.h"
#include "cppc/image.hpp"

namespace cppc::migration {

/// Begins to restore the state: for each object the runtime says where it belongs. In the order of the file.
/// `keep_alive` is called every few milliseconds.
tl::expected<std::vector<fabric::Place>, cppc_status> places_for(const cppc_runtime& runtime,
                                                                 const image::Reader& reader,
                                                                 const fabric::KeepAlive& keep_alive);

}  // namespace cppc::migration
