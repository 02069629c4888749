/* All its work, MPI included, is in one parallel region of OpenMP: no rank is ever outside. Works until the file FILE is
 * there. Usage: one_region FILE */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int provided, rank = 0, over = argc < 2;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
  while (!over) {
#pragma omp barrier
#pragma omp master
    {
      usleep(1000);
      if (rank == 0) over = access(argv[1], F_OK) == 0;
      MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
#pragma omp barrier
  }
  MPI_Finalize();
  return 0;
}
