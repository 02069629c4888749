/// A rank's state as bytes, for extensions of tests that move it without an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bytes.hpp"
#include "cppc/hooks.h"

namespace cppc::test {

struct StateBytes {
  ByteWriter writer;
  std::uint64_t objects = 0;
  std::uint64_t data = 0;  ///< bytes of all objects
};

/// As cppc_runtime's capture. What is dead is not what it was before.
cppc_status capture(const cppc_runtime& runtime, StateBytes& state);

/// In a replacement, within `fetch`: as cppc_runtime's restore_begin to restore_end.
cppc_status restore(const cppc_runtime& runtime, std::span<const std::byte> bytes);

}  // namespace cppc::test
