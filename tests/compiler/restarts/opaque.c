/* What another file overwrites, in a structure that is not known here. */
#include "opaque.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int count = 5000;
  struct cell* cells = make_cells(count);
  double sum = 0;
  for (int step = 0; step < 12; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    fill_cells(cells, count, step);
    sum += sum_cells(cells, count) * 1e-9;
  }
  printf("%.10g\n", sum);
  MPI_Finalize();
  return 0;
}
