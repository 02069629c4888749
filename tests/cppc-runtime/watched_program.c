/* An MPI program that passes three safe points and says so. Argument "unstarted": it does not call cppc_start(). */
#include <cppc/cppc.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const cppc_place places[] = {{NULL, NULL, 0}};
static const cppc_routine routine = {"main", places, 1};

int main(int argc, char** argv) {
  int rank;
  int step = 0;
  cppc_frame frame;
  if (argc < 2 || strcmp(argv[1], "unstarted") != 0) cppc_start(&argc, &argv);
  if (cppc_enter(&frame, &routine, NULL) == 1) goto resume_1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (; step < 3; ++step) {
    if (cppc_safe_point(9)) {
    resume_1:
      cppc_stop(&frame, 1);
    }
  }
  printf("rank %d passed %d\n", rank, (int)cppc_control_block.passed);
  cppc_leave(&frame);
  MPI_Finalize();
  return 0;
}
