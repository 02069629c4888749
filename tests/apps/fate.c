/* fate HOW [NUMBER]: a job that ends in a certain way. Rank 1 does it, or rank 0 where it is alone, after all ranks
 * have passed a safe point; the others go on until they are ended. For `wait`, all go on. exit N, abort N, signal N:
 * rank 1 exits with N, calls MPI_Abort with N, raises signal N wait: nobody ends it */
#include <cppc/cppc.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void meet(const char* how, int number) {
  if (strcmp(how, "exit") == 0) exit(number);
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, number);
  if (strcmp(how, "signal") == 0) raise(number);
}

static const cppc_place places[] = {{NULL, NULL, 0}};
static const cppc_routine routine = {"main", places, 1};

int main(int argc, char** argv) {
  int rank, size;
  cppc_frame frame;
  cppc_start(&argc, &argv);
  if (cppc_enter(&frame, &routine, NULL) == 1) goto resume_1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("fate: running\n");
    fflush(stdout);
  }
  if (argc > 2 && rank == (size > 1 ? 1 : 0)) meet(argv[1], atoi(argv[2]));
  for (;;) {
    if (cppc_safe_point(1)) {
    resume_1:
      cppc_stop(&frame, 1);
    }
    usleep(1000);
  }
}
