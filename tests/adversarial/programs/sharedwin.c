/* Memory that the ranks of a node share by a window of MPI. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int number, members;
  MPI_Comm_rank(node, &number);
  MPI_Comm_size(node, &members);
  double *own, *other;
  MPI_Win window;
  MPI_Win_allocate_shared(100 * sizeof *own, sizeof *own, MPI_INFO_NULL, node, &own, &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, (number + 1) % members, &bytes, &unit, &other);
  for (int it = 0; it < 10; it++) {
    MPI_Win_fence(0, window);
    own[it] = 10 * number + it;
    MPI_Win_fence(0, window);
    printf("%d %d %g %g\n", rank, it, other[it], gsum(it));
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
