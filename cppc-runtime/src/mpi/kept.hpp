/// Memory that the program gets from MPI, and what MPI has been given pointers of the program for. In the tracked heap
/// the runtime carries it over as it does the program's own objects, pointers included. In a state that is kept by
/// address it is allocated in the program's time and is part of that state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "cppc/cppc.h"
#include "heap.hpp"

namespace cppc::mpi {

/// For release_carried(). Null when there is no memory.
void* allocate_carried(const cppc_type& type, std::size_t bytes) noexcept;
void release_carried(void* block) noexcept;

/// Ends the process when there is no memory.
[[noreturn]] void cannot_keep();

/// A copy, for release_carried(). Ends the process when there is no memory.
template <class T>
T* keep(const cppc_type& type, const T& object) {
  void* const block = allocate_carried(type, sizeof object);
  if (block == nullptr) cannot_keep();
  std::memcpy(block, &object, sizeof object);
  T* const kept = static_cast<T*>(block);
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(kept);  // it has what calls left on the stack, addresses of the dynamic linker's for instance
#endif
  return kept;
}

/// Numbers by which the MPI part of an image names the blocks that keep() has made, in the moment in which it is made:
/// those of the tracked heap, or their addresses when the state is kept by address.
class BlockNumbers {
 public:
  BlockNumbers();

  /// Of a block that keep() has made.
  [[nodiscard]] std::uint64_t of(const void* block) const;

  /// Null, logged, when the block of this number is none of `type`.
  template <class T>
  [[nodiscard]] T* at(std::uint64_t number, const cppc_type& type) const {
    return static_cast<T*>(find(number, type, sizeof(T)));
  }

 private:
  [[nodiscard]] void* find(std::uint64_t number, const cppc_type& type, std::size_t bytes) const;

  // Both empty when the state is kept by address.
  std::unordered_map<const void*, std::uint64_t> numbers_;
  std::unordered_map<std::uint64_t, Heap::Entry> entries_;
};

}  // namespace cppc::mpi
