/* Windows of memory that could be shared, of ranks that have nobody to share it with: each is alone on its node, say. */
#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm node;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &node);
  double *own, *same;
  MPI_Win window;
  MPI_Win_allocate_shared(100 * sizeof *own, sizeof *own, MPI_INFO_NULL, node, &own, &window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  for (int it = 0; it < 10; it++) {
    MPI_Aint bytes;
    int unit, *flavor, known;
    own[it] = 10 * rank + it;
    MPI_Win_sync(window);
    MPI_Win_shared_query(window, it % 2 == 0 ? 0 : MPI_PROC_NULL, &bytes, &unit, &same);
    MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &known);
    printf("%d %d %g %g %d %ld %d %d\n", rank, it, same[it / 2], gsum(same[it]), same == own, (long)bytes, unit,
           known && *flavor == MPI_WIN_FLAVOR_SHARED);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
