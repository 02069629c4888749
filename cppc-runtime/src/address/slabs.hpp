/// Slabs of the program's heap: units of small blocks of one size. All of it with the heap's lock.
#pragma once

#include <cstdint>

#include "address/heap_tables.hpp"

namespace cppc::address::heap {

/// Adds up to `blocks` free blocks of the class to the list, by their addresses as far as they were never used; none
/// when there is no memory.
void fill(CacheList& list, unsigned size_class, std::uint32_t blocks);

/// Gives the first `blocks` of the list back to their slabs. A slab without blocks in use becomes free units, unless it
/// is the only one of its class with room. Ends the process when one of them is no block: the program has freed it.
void drain(CacheList& list, std::uint32_t blocks);

/// The last blocks that were given out, as far as they are free, become such as never were.
void forget_last_free(std::uint32_t slab);

/// Of any address in a slab: the block's first byte, null behind the last block that was given out.
std::byte* block_at(std::uint32_t slab, const void* address);

/// Ends the process, saying what the program has done with this address.
[[noreturn]] void no_block(const char* function, const void* address);

}  // namespace cppc::address::heap
