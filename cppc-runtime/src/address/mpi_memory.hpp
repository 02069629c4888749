/// Memory that MPI, with the libraries below it, has to itself: what the C library's heap, or mmap(), has given outside
/// of the program's time, once all libraries have been started. What the heap gives to the dynamic linker in the
/// program's time is none of it: the program may know that, as a handle of dlopen().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "address/c_library_heap.hpp"
#include "address/startup_calls.hpp"
#include "memory_map.hpp"

namespace cppc::address {

/// The heap has given such a block to a constructor, or to the dynamic linker. From the dynamic linker's first call on;
/// any thread.
void note_block_of_libraries(const void* block, std::size_t bytes);

/// mmap() has given this outside of the program's time, once all libraries had been started. Any thread.
void note_mapping_of_mpi(const void* begin, std::size_t bytes);

class MpiMemory {
 public:
  /// Whether `address`, in `range`, is in such memory. In doubt it is not.
  bool holds(const MemoryMap::Range& range, std::uintptr_t address);

 private:
  struct Block {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  void read_blocks();

  CLibraryHeap heap_;
  std::vector<Block> of_libraries_;  ///< by rising address
  bool read_ = false;
};

}  // namespace cppc::address
