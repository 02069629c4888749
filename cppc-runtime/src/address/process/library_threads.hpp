/// Threads that libraries keep for their work, and start again when they need them. OpenMP's are in threads.hpp.
#pragma once

namespace cppc::address::library_threads {

/// Ends those of OpenBLAS and FFTW. On the main thread, while no other thread of the program calls these libraries;
/// calls them, so not in signal handlers.
void end();

}  // namespace cppc::address::library_threads
