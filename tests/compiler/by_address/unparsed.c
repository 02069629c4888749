/* A file that Clang cannot parse, as gcc has nested functions, is left as it is. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int twice(int n) { return 2 * n; }
  for (int step = 0; step < 100; step++) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return twice(0);
}
