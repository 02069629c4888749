/// Numbers of an image of another architecture, by HDF5.
#pragma once

#include <cstdint>

#include "cppc/hooks.h"

namespace cppc::migration {

/// As cppc_hooks::convert.
std::uint64_t convert_numbers(const cppc_numbers* from_form, const void* from, const cppc_numbers* to_form, void* to,
                              std::uint64_t count);

}  // namespace cppc::migration
