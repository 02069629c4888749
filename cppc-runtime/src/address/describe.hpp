/// Names for messages: what the user would call a piece of the state, or memory that does not belong to it.
#pragma once

#include <cstdint>
#include <string>

#include "address/pieces.hpp"
#include "memory_map.hpp"

namespace cppc::address {

/// "the variable table+16", "the block of 48 bytes at 0x2100000010 of the heap, 8 bytes from its start", ...
std::string describe(const Piece& piece, std::uint64_t offset);

/// "the file mapping /dev/shm/x", "the C library's heap", ...
std::string describe(const MemoryMap::Range& range);

}  // namespace cppc::address
