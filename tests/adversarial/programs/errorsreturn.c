/* An array that an operation does not fill, because it fails, and the program has asked for that by other names of MPI's
   function. */
#include <mpi.h>
#include <stdio.h>

static double from[3000], to[3000];

int main(int argc, char** argv) {
  int (*set)(MPI_Comm, MPI_Errhandler) = MPI_Comm_set_errhandler;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 3000; ++i) to[i] = i + rank;
  for (int it = 1; it <= 10; ++it) {
    double sum = 0, all;
    for (int i = 0; i < 3000; ++i) from[i] = it + i;
    MPI_Allreduce(from, to, 3000, MPI_DOUBLE, it % 2 ? MPI_SUM : MPI_OP_NULL, MPI_COMM_WORLD);
    for (int i = 0; i < 3000; ++i) sum += to[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    to[5] += it;
    printf("%d %d %.17g\n", rank, it, all);
  }
  MPI_Finalize();
}
