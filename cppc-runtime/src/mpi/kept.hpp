/// What MPI has been given pointers of the program for is kept in the tracked heap: the runtime carries it over as it
/// does the program's own objects, pointers included. The MPI part of an image names the blocks.
#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "cppc/cppc.h"
#include "heap.hpp"
#include "layout.hpp"
#include "log.hpp"

namespace cppc::mpi {

/// A copy in the tracked heap, for heap().release(). Ends the process when there is no memory.
template <class T>
T* keep(const cppc_type& type, const T& object) {
  void* const block = heap().allocate(&type, 0, sizeof object, true);
  if (block == nullptr) die(CPPC_ERR_MEMORY, "no memory to remember what MPI was given");
  std::memcpy(block, &object, sizeof object);
  return static_cast<T*>(block);
}

/// The numbers of blocks, in the moment in which it is made.
class BlockNumbers {
 public:
  BlockNumbers() {
    for (const Heap::Entry& entry : heap().blocks()) {
      numbers_.emplace(entry.address, entry.block.number);
      entries_.emplace(entry.block.number, entry);
    }
  }

  /// Of a block that keep() has made.
  [[nodiscard]] std::uint64_t of(const void* block) const { return numbers_.at(block); }

  /// Null, logged, when the block of this number is none of `type`.
  template <class T>
  [[nodiscard]] T* at(std::uint64_t number, const cppc_type& type) const {
    const auto found = entries_.find(number);
    if (found != entries_.end() && found->second.block.bytes == sizeof(T) &&
        same_structure(layout_of(found->second.block.type), layout_of(&type))) {
      return reinterpret_cast<T*>(found->second.address);
    }
    log().error("heap/{} in the image is no {}", number, type.name);
    return nullptr;
  }

 private:
  std::unordered_map<const void*, std::uint64_t> numbers_;
  std::unordered_map<std::uint64_t, Heap::Entry> entries_;
};

}  // namespace cppc::mpi
