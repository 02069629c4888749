/// What the program wants done at its end: functions given to atexit() and its kin, destructors of static and of the
/// main thread's thread-local objects, and of those of threads of OpenMP that have a place (team_threads.hpp). Kept in
/// the program's memory instead of the C library's, so that they run in the process in which the program ends, once,
/// and in none that it has left.
///
/// Program time says whose a function is: what libraries register before main() is the process's, and each process
/// has it anew. Functions of the program run before those of the process.
#pragma once

#include <cstddef>

namespace cppc::address::exit_handlers {

/// In a process that takes the state over, once the program's memory is there: the end of this process is from now on
/// the program's.
void apply();

/// The process ends without the program.
void leave();

/// Destructors of the thread-local objects of the thread of OpenMP that has this place, in that thread.
void run_of_team_thread(std::size_t place);

}  // namespace cppc::address::exit_handlers
