// MPI_Query_thread() answers what MPI_Init() gave, whatever a process that takes over asks of MPI
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 12; ++step) {
    int level = -1, main_thread = -1;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main_thread);
    printf("rank %d step %d: %d %d\n", rank, step, level, main_thread);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
