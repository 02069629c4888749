/// The beginning of main().
#include <mpi.h>

#include <new>

#include "arguments.hpp"
#include "extension.hpp"
#include "log.hpp"

namespace {

void register_arguments(int argc, char** argv) noexcept try {
  cppc::register_arguments(argc, argv);
} catch (const std::bad_alloc&) {
  cppc::die(CPPC_ERR_MEMORY, "no memory to register the program's arguments");
}

}  // namespace

void cppc_start(int* argc, char*** argv) {
  if (argc != nullptr && argv != nullptr) register_arguments(*argc, *argv);
  if (!cppc::extension::replaces()) return;
  int provided = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    cppc::die(CPPC_ERR_MPI, "MPI_Init_thread() failed in a process that takes over a rank");
  }
}
