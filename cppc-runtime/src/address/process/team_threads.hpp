/// Threads that OpenMP keeps between parallel regions. A rank moves without them, but what they have of their own
/// outlives them, as OpenMP has it for threadprivate variables: thread-locals, also those of C++ with constructors and
/// destructors, and the floating-point state. It travels in the program's memory, and is that of the threads of the
/// same numbers that come after them.
///
/// Thread-locals may have their own addresses in them, so they have to come to the same ones. They lie at the end of a
/// thread's stack, so these threads have stacks at fixed places.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <optional>

#include "address/process/floating_point.hpp"
#include "cppc/status.h"

namespace cppc::address::team_threads {

/// That have a place at a time. What others have of their own cannot be carried.
inline constexpr std::size_t kMost = 256;

struct Stack {
  std::size_t place;          ///< its number
  pthread_attr_t attributes;  ///< with it; not to be destroyed
};

/// For a thread that is to be started with these attributes, or with those that all have (null). None: all places are
/// taken, or it is too large. Any thread.
std::optional<Stack> take_stack(const pthread_attr_t* attributes);

/// When the thread could not be started.
void give_back(const Stack& stack);

/// In the thread, first and last. At the end the destructors of its thread-locals run, unless they are kept.
void begin(std::size_t place);
void end();

/// The calling thread's; none if it has none.
std::optional<std::size_t> place_of_thread();

/// On the main thread, outside parallel regions, while there are so many threads besides. CPPC_ERR_UNSUPPORTED, logged,
/// when one has something that cannot be carried. `of_main`: of the program in the main thread, with which new threads
/// begin.
cppc_status keep_locals(std::size_t threads, const FloatingPoint& of_main);

/// Starts threads that have what was kept; nothing, if it was nothing. On the main thread, with the program's
/// floating-point state and signal mask. Ends the process where the system has no threads.
void give_locals();

}  // namespace cppc::address::team_threads
