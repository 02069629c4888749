/// Large blocks of the program's heap: each has a run of units. All of it with the heap's lock, but for large_block().
#pragma once

#include <cstddef>
#include <cstdint>

#include "address/heap_tables.hpp"

namespace cppc::address::heap {

/// `alignment` is a power of two. Null: no memory. Its unit's `zero` says whether nobody has written into it, and holds
/// until it is resized.
void* take_large(std::size_t bytes, std::size_t alignment);

/// The block that this unit is the first one of.
inline std::byte* large_block(std::uint32_t run) { return unit_memory(run) + unit(run).large.offset; }

/// Without moving it; false when there is no room.
bool resize_large(std::uint32_t run, std::size_t bytes);

void give_large(std::uint32_t run);

}  // namespace cppc::address::heap
