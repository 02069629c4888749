/// The checksum of chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cppc::fabric {

/// XXH3-64, with the widest instructions that the processor has.
std::uint64_t hash_of(std::span<const std::byte> bytes);

}  // namespace cppc::fabric
