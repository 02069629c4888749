#include "address/process/library_threads.hpp"

#include <cstddef>
#include <string>

#include "address/process/program_functions.hpp"

namespace cppc::address::library_threads {

namespace {

/// A function without arguments, whatever it returns.
using Function = void (*)();

/// The next call that wants threads starts them. Modules of Python may have one such library each.
void end_those_of_openblas() {
  for (void* const end : program_functions("blas_thread_shutdown_")) reinterpret_cast<Function>(end)();
}

/// Plans know how many threads they want, not which: these come from a queue, which is made anew.
void end_those_of_fftw(const std::string& precision) {
  const auto ends = program_functions((precision + "_threads_cleanup").c_str());
  const auto begins = program_functions((precision + "_ithreads_init").c_str());
  if (ends.size() != begins.size()) return;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    reinterpret_cast<Function>(ends[i])();
    reinterpret_cast<Function>(begins[i])();
  }
}

}  // namespace

void end() {
  end_those_of_openblas();
  for (const char* precision : {"fftw", "fftwf", "fftwl"}) end_those_of_fftw(precision);
}

}  // namespace cppc::address::library_threads
