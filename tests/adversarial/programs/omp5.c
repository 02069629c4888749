// FLAGS -O2 -fopenmp
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static double sum(const double* cells, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += cells[i];
  return s;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double* cells = calloc(1000, sizeof *cells);
  double total = 0;
  for (int step = 0; step < 10; ++step) {
#pragma omp parallel reduction(+ : total)
    {
      const double* mine = cells;
      total += sum(mine, 1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("%g\n", total);
  MPI_Finalize();
}
