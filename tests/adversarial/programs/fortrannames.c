/* Functions of a program in C that have the names of MPI's in Fortran: nobody else calls them. */
#include "adversarial.h"

void mpi_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

int mpi_comm_rank_(void) { return rank + 100; }

double MPI_ALLREDUCE(double x) { return gsum(x) + 0.5; }

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int it = 0; it < 10; it++) {
    mpi_barrier();
    printf("%d %d %d %g\n", rank, it, mpi_comm_rank_(), MPI_ALLREDUCE(it));
  }
  MPI_Finalize();
  return 0;
}
