/// The program's heap in a test program: a process has one.
#pragma once

#include "address/region_heap.hpp"

namespace cppc::address::test {

/// Starts it at the first call.
inline bool heap_is_started() {
  static const bool started = RegionHeap::start().has_value();
  return started;
}

}  // namespace cppc::address::test
