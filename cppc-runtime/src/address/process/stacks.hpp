/// Stacks that the program has made itself: for coroutines (makecontext()), and for signal handlers (sigaltstack()).
/// They are memory of the program like any other, but what functions have left behind there is nobody's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace cppc::address::stacks {

/// In the program's memory. Outside program time.
std::vector<std::span<const std::byte>> all();

}  // namespace cppc::address::stacks
