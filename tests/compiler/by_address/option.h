/* Included by an option. */
#include <mpi.h>

static double sum_of(double x, int times) {
  double sum = 0;
  for (int i = 0; i < times; i++) {
    double all;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
  }
  return sum;
}
