/* What each thread has of its own, and steps that several threads may pass through. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static _Thread_local double own = 2.5;
static double private_to_each;
#pragma omp threadprivate(private_to_each)

static double inside(double value) {
#pragma omp parallel num_threads(2)
  {
    for (int step = 0; step < 100; step++) {
#pragma omp master
      MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#pragma omp barrier
    }
  }
  return value + omp_get_max_threads();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0;
  for (int step = 0; step < 100; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += own++ + private_to_each++;
  }
  printf("%g\n", inside(sum));
  MPI_Finalize();
  return 0;
}
