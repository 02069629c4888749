/// Tells the memory that the C library's own malloc() has given from any other memory that is of nothing in particular.
///
/// A program whose state is kept by address gets none of it (malloc.cpp): it is MPI's and the C library's own. Both are
/// told by what glibc keeps in it, an arena's chunks one behind the other, as in its malloc.c and arena.c.
#pragma once

#include <cstdint>
#include <vector>

#include "memory_map.hpp"

namespace cppc::address {

class CLibraryHeap {
 public:
  /// Whether it has given `address`, in `range`, to somebody. In doubt it has not. Threads that allocate meanwhile may
  /// cause doubt.
  bool holds(const MemoryMap::Range& range, std::uintptr_t address);

 private:
  struct Part {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  std::vector<Part> known_;
};

}  // namespace cppc::address
