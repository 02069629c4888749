/* Addresses of functions of MPI that the code takes: they are places in the program that lead to MPI. */
#include "adversarial.h"

typedef int barrier_t(MPI_Comm);

static barrier_t* volatile chosen;

__attribute__((noinline)) static int twice(barrier_t* barrier) {
  return barrier(MPI_COMM_WORLD) + barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  chosen = argc > 3 ? NULL : MPI_Barrier;
  for (int it = 0; it < 10; it++) printf("%d %d %d %g\n", rank, it, twice(chosen), gsum(it));
  MPI_Finalize();
  return 0;
}
