/* A program that knows nothing of libcppc, with a library of its own that counts. Ends when the file exists that it is
 * told, and says what it and a program that it starts have to preload. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int preloaded_count(void);

int main(int argc, char** argv) {
  int rank = 0, steps = 0, counted = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int end = 0; end == 0; ++steps) {
    usleep(1000);
    if (rank == 0) end = access(argv[1], F_OK) == 0;
    MPI_Bcast(&end, 1, MPI_INT, 0, MPI_COMM_WORLD);
    counted = preloaded_count();
  }
  if (rank == 0) {
    const char* preload = getenv("LD_PRELOAD");
    printf("%s, itself: %s\n", counted == steps ? "right" : "wrong", preload != NULL ? preload : "none");
    fflush(stdout);
    if (system("echo started: ${LD_PRELOAD-none}") != 0) puts("nothing can be started");
  }
  MPI_Finalize();
  return 0;
}
