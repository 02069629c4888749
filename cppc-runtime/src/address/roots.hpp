/// What the runtime itself has to find again in another process: one pointer into the program's heap for each of its
/// parts that keeps something about the program's state. The page lies at a fixed place and travels with that heap.
#pragma once

#include <cstddef>

#include "address/places.hpp"

namespace cppc::address {

enum class Root : std::size_t {
  capture,        ///< capture.cpp
  arguments,      ///< start.cpp: argc, argv and envp as main got them
  descriptors,    ///< process/descriptors.cpp
  streams,        ///< process/streams.cpp
  mappings,       ///< process/mappings.cpp
  exit_handlers,  ///< process/exit_handlers.cpp
  keys,           ///< process/keys.cpp
  timers,         ///< process/timers.cpp
  c_library,      ///< process/c_library.cpp: strtok and other functions that remember something
  program_break,  ///< process/program_break.cpp
  stacks,         ///< process/stacks.cpp
  threads,        ///< process/threads.cpp
  team_threads,   ///< process/team_threads.cpp
  mpi,            ///< src/mpi: what MPI was given pointers of the program for
  count
};

/// Null until its owner has set it. Only in a process whose state is kept by address, once the heap has started.
inline void*& root(Root which) { return reinterpret_cast<void**>(kRoots)[static_cast<std::size_t>(which)]; }

}  // namespace cppc::address
