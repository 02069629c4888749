/// The beginning of main().
#include "start.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdlib>
#include <new>

#include "arguments.hpp"
#include "cppc/hooks.h"
#include "extension.hpp"
#include "log.hpp"
#include "precedence.hpp"

namespace {

void register_arguments(int argc, char** argv) noexcept try {
  cppc::register_arguments(argc, argv);
} catch (const std::bad_alloc&) {
  cppc::die(CPPC_ERR_MEMORY, "no memory to register the program's arguments");
}

/// As the program finds it: with a profiling tool, the tool's.
template <class Function>
Function* found(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// A tool is told by the function that it has.
int init_mpi(int* argc, char*** argv) {
  if (cppc::taken("MPI_Init") && !cppc::taken("MPI_Init_thread"))
    return found<decltype(MPI_Init)>("MPI_Init")(argc, argv);
  const int level = std::getenv(CPPC_SEVERAL_THREADS) != nullptr ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  int provided = 0;
  return found<decltype(MPI_Init_thread)>("MPI_Init_thread")(argc, argv, level, &provided);
}

}  // namespace

void cppc::init_mpi_of_replacement(int* argc, char*** argv) {
  if (init_mpi(argc, argv) != MPI_SUCCESS)
    die(CPPC_ERR_MPI, "MPI could not be initialized in a process that takes over a rank");
}

void cppc_start(int* argc, char*** argv) {
  if (argc != nullptr && argv != nullptr) register_arguments(*argc, *argv);
  if (!cppc::extension::replaces()) return;
  cppc::init_mpi_of_replacement(argc, argv);
}
