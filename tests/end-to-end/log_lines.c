/* Appends the number of each step to a file, which it opens for that and closes again; every rank has one of its own, and
 * rank 0 and 1 have one together, in turn. Works until the file STOP is there. Usage: log_lines FOLDER STOP */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int append(const char* folder, const char* name, int step) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "a");
  if (file == NULL || fprintf(file, "%d\n", step) < 0 || fclose(file) != 0) {
    perror(path);
    return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  int rank = 0, seen = 0, over = 0;
  char own[32];
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(own, sizeof own, "rank%d", rank);
  for (int step = 0; !over; step++) {
    if (!append(argv[1], own, step)) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == step % 2 && !append(argv[1], "both", step)) MPI_Abort(MPI_COMM_WORLD, 1);
    usleep(2000);
    seen = access(argv[2], F_OK) == 0;
    MPI_Allreduce(&seen, &over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
