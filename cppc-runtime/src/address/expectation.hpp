/// Memory that a replacement takes before the state comes, while the rank that it replaces still works: the first touch
/// of a page costs more than filling it.
#pragma once

#include <cstdint>
#include <span>

namespace cppc::address {

/// Where this process's state is large, as numbers for expect() in another process of the program, in which it comes to
/// the same places. Returns how many. Any time.
std::uint64_t large_places(std::span<std::uint64_t> numbers);

/// In a replacement that has no state yet. Advice: what cannot be had costs nothing later.
void expect(std::span<const std::uint64_t> numbers);

}  // namespace cppc::address
