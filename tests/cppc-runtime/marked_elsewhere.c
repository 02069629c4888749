/* An MPI program whose safe point is in a library. */
#include <mpi.h>

int pass_mark(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 2) pass_mark();
  MPI_Finalize();
  return 0;
}
