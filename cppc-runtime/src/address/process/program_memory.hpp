/// Tables of the runtime that travel with the program's heap: plain data, at a root, never given back. Lists, so that
/// what is in them never moves.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <type_traits>

#include "address/roots.hpp"

namespace cppc::address {

/// Memory of the program's heap, all zero. Ends the process when there is none. Not safe in signal handlers.
void* allocate_for_program(std::size_t bytes);

/// Makes a T in the program's heap, all zero.
template <typename T>
requires std::is_trivial_v<T> T* make_for_program() { return new (allocate_for_program(sizeof(T))) T{}; }

/// Whether the roots can be read: set when the program's heap has started, or has been restored.
inline constinit std::atomic<bool> program_memory_there{false};

/// What lies at the root; null if nobody has made it yet, or there is no memory of the program. Safe in signal
/// handlers.
template <typename T>
T* find_root(Root which) {
  return program_memory_there.load(std::memory_order_relaxed) ? static_cast<T*>(root(which)) : nullptr;
}

/// The same, made at its first use. Only in a process whose state is kept by address; not by two threads at a time.
template <typename T>
T& at_root(Root which) {
  if (root(which) == nullptr) root(which) = make_for_program<T>();
  program_memory_there = true;
  return *static_cast<T*>(root(which));
}

}  // namespace cppc::address
