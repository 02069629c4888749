/// malloc() and memalign() for functions of this library that stand for one of the program's: `caller` is the address
/// that these return to, which says whose the memory is.
#pragma once

#include <cstddef>

namespace cppc::address {

void* allocate(std::size_t bytes, const void* caller);
void* allocate_aligned(std::size_t alignment, std::size_t bytes, const void* caller);

/// Whether it is this library that asks.
bool is_own_code(const void* caller);

}  // namespace cppc::address
