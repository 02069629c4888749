/// Threads that the program has started. They work for the program, too, but are not carried: a rank moves with its
/// main thread alone.
///
/// Threads of the process, in one whose state is kept by address, block all signals but SIGCONT and those for errors of
/// their own: the system gives a signal to any thread that does not, and the program's handlers are to run on its
/// threads alone.
#pragma once

#include <cstddef>

#include "address/process/floating_point.hpp"
#include "cppc/status.h"

namespace cppc::address {

/// Whether the calling thread is the process's first one, which is carried.
bool on_main_thread();

namespace threads {

/// How many of the program's threads, and of the libraries that work for it, there are besides the main thread. In a
/// process whose state is not kept by address: none.
std::size_t others();

/// Whether the main thread is inside a parallel region of OpenMP that has, or had, other threads.
bool in_parallel_region();

/// Whether end_pools() and check() can be expected to find nothing: outside of parallel regions, no others() but
/// OpenMP's.
bool may_stop();

/// Before end_pools(), of a program that stops there: what threads of OpenMP have of their own goes to the program's
/// memory (team_threads.hpp). `of_main`: of the program in the main thread.
cppc_status keep_locals_of_pools(const FloatingPoint& of_main);

/// Ends the threads that OpenMP keeps for parallel regions to come, and those that libraries keep for theirs
/// (library_threads.hpp); the next use starts them again, and what the program has set for them stays.
/// CPPC_ERR_NOT_QUIET, logged, inside a parallel region. On the main thread; calls the program's libraries, so not in
/// signal handlers.
cppc_status end_pools();

/// CPPC_ERR_UNSUPPORTED, logged, when others() run still. After end_pools().
cppc_status check();

/// Whether a thread of the program had its stack or thread-locals there, in this process or one before. When none runs
/// any more, what leads there leads nowhere.
bool had_memory_at(const void* address);

}  // namespace threads

}  // namespace cppc::address
