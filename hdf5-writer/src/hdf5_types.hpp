/// Element types as HDF5 sees them: what h5dump prints. The exact type is in the index.
#pragma once

#include <cstdint>
#include <span>
#include <tl/expected.hpp>
#include <vector>

#include "cppc/image.hpp"
#include "format.hpp"
#include "hdf5.hpp"

namespace cppc::image {

/// The native HDF5 type: integers and floating point by size, complex numbers as {r, i}, references as 64-bit numbers,
/// structures as compounds with their own offsets. Bytes, and everything that HDF5 has no type for or whose description
/// would not fit its 64 KiB, are opaque with the type's name as tag.
tl::expected<Hid, cppc_status> hdf5_type(const Type& type);

/// Of rows of a table of the index.
tl::expected<Hid, cppc_status> hdf5_row_type(std::span<const ColumnInfo> columns, std::size_t name_bytes);

}  // namespace cppc::image
