/// What a heap block holds: the C library's sizes are bytes, blocks in an image are whole elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "cppc/cppc.h"

namespace cppc {

struct Shape {
  const cppc_type* type;
  std::uint64_t count;  ///< count * type->size is the size of the block
};

/// The contents of a block of `bytes` that was allocated for elements of `type`. A flexible array member, or bytes
/// behind the last whole element, give a structure of one element made for this size; it lives as long as the process.
/// The error says, for a message that names the block, why there is no such shape.
tl::expected<Shape, std::string> shape_of(const cppc_type* type, std::size_t bytes);

}  // namespace cppc
