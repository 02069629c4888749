/// Runs of units of the program's heap: free ones are joined with their neighbours and kept in lists by length. All of
/// it with the heap's lock.
#pragma once

#include <cstdint>

#include "address/heap_tables.hpp"

namespace cppc::address::heap {

/// A run of so many units, > 0, with its `length` and `zero` set; what kind it is, its caller says. 0: no memory.
std::uint32_t take_run(std::uint32_t length);

/// The first `length` units of a run that was taken are left of it; the others are free.
void shorten_run(std::uint32_t run, std::uint32_t length);

/// Makes it longer where it lies; false when there is no room, or no memory, behind it.
bool lengthen_run(std::uint32_t run, std::uint32_t length);

/// It is free now.
void give_run(std::uint32_t run);

}  // namespace cppc::address::heap
