/* A window of ranks on one node, all of which hold a shared lock on it as they move. */
#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  double* own;
  MPI_Win window;
  MPI_Win_allocate(80 * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
  for (int i = 0; i < 80; i++) own[i] = rank + i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (int it = 0; it < 10; it++) printf("%d %d %g\n", rank, it, gsum(own[it]));
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
