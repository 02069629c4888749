/* Works with memory that a library has allocated. */
#include <mpi.h>
#include <stdio.h>

#include "library.h"

static double* block;
static double value;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  block = library_block();
  for (int step = 0; step < 12; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    value += *block;
  }
  printf("%g\n", value);
  MPI_Finalize();
  return 0;
}
