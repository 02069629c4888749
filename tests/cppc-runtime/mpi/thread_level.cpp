/// thread_level: under an extension a program whose state is kept by type gets at most MPI_THREAD_SERIALIZED. 0 when
/// that is so.
#include <mpi.h>

#include <cstdlib>

#include "test_world.hpp"

const int cppc::test::moved_rank = -1;

int main(int argc, char** argv) {
  setenv("CPPC_EXTENSION", "the test itself", 1);
  int provided = -1;
  int answered = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Query_thread(&answered);
  MPI_Finalize();
  return provided == MPI_THREAD_SERIALIZED && answered == MPI_THREAD_SERIALIZED ? 0 : 1;
}
