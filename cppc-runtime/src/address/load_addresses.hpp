/// Where the carried objects have been loaded, and which they are. All that is carried by address is right only where
/// they are the same, at the same addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "address/carried_objects.hpp"
#include "address/pieces.hpp"

namespace cppc::address {

std::vector<Library> libraries_of(std::span<const CarriedObject> objects);

/// CPPC_ERR_MISMATCH, logged by name, if this process has not loaded these where they were.
cppc_status compare_load_addresses(std::span<const Library> there);

/// As cppc_runtime::describe_objects and cppc_runtime::compare_objects.
std::uint64_t describe_objects(std::span<std::byte> room) noexcept;
cppc_status compare_objects(std::span<const std::byte> described);

}  // namespace cppc::address
