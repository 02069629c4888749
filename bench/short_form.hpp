/// Benches in their shortest form, which says that they work, and nothing about figures: CPPC_BENCH_SHORT is set.
#pragma once

#include <cstdlib>

namespace cppc::bench {

/// `usual`, or `few` in the short form.
template <class Number>
Number unless_short(Number usual, Number few) {
  return std::getenv("CPPC_BENCH_SHORT") == nullptr ? usual : few;
}

}  // namespace cppc::bench
