/* Linked with libcppc, but not by a wrapper: it has no safe point. Works until the file FILE is there. Usage: unmarked
 * FILE */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, over = argc < 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (!over) {
    usleep(1000);
    if (rank == 0) over = access(argv[1], F_OK) == 0;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
