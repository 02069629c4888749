/* What functions do that compilers leave out, as nobody refers to them, matters to nobody; a constructor is called
   without a name. */
#include <mpi.h>
#include <stdio.h>

#include "unused.h"

static double* held;

__attribute__((constructor)) static void hold(void) { held = kept; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0;
  for (int i = 0; i < SIZE; i++) kept[i] = i % 7;
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < SIZE; i++) work[i] = i + step;
    for (int i = 0; i < SIZE; i++) sum += work[i];
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < SIZE; i++) sum += held[i];
  printf("%.0f\n", sum);
  MPI_Finalize();
  return 0;
}
