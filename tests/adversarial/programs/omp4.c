// FLAGS -O2 -fopenmp
// Steps inside a parallel region of one thread, no marked ones; later regions have more.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double total = rank;
#pragma omp parallel num_threads(1)
  {
    for (int step = 0; step < 10; ++step) {
      double sum = 0;
      MPI_Allreduce(&total, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      total += sum / (step + 2) + omp_get_num_threads();
      if (rank == 0) printf("%d %.17g %d\n", step, sum, omp_in_parallel());
    }
  }
  omp_set_num_threads(3);
  for (int step = 0; step < 3; ++step) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    if (rank == 0) printf("%d threads\n", threads);
  }
  MPI_Finalize();
  return 0;
}
