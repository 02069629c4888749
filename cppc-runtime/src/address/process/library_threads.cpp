#include "address/process/library_threads.hpp"

#include <dlfcn.h>

#include <string>

namespace cppc::address::library_threads {

namespace {

/// A function without arguments, whatever it returns; null: no library has it.
using Function = void (*)();

Function find(const std::string& name) { return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name.c_str())); }

/// The next call that wants threads starts them.
void end_those_of_openblas() {
  if (const Function end = find("blas_thread_shutdown_")) end();
}

/// Plans know how many threads they want, not which: these come from a queue, which is made anew.
void end_those_of_fftw(const std::string& precision) {
  const Function end = find(precision + "_threads_cleanup");
  const Function begin = find(precision + "_ithreads_init");
  if (end == nullptr || begin == nullptr) return;
  end();
  begin();
}

}  // namespace

void end() {
  end_those_of_openblas();
  for (const char* precision : {"fftw", "fftwf", "fftwl"}) end_those_of_fftw(precision);
}

}  // namespace cppc::address::library_threads
