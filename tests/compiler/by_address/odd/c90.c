/* Strict C of 1990, in which code may not stand before declarations. */
#include <mpi.h>
#include <stdio.h>

#define N 4096

static double field[N];

int main(int argc, char **argv) {
  double sum = 0, all = 0;
  int step;
  MPI_Init(&argc, &argv);
  for (step = 0; step < 10; step++) {
    int i;
    for (i = 0; i < N; i++) field[i] = step + i;
    for (i = 0; i < N; i++) sum += field[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  }
  printf("%.17g %.17g\n", sum, all);
  MPI_Finalize();
  return 0;
}
