/* What there is none of need not be waited for: on another condition it may be. */
#include <mpi.h>

static void none_to_wait_for(double* a, int n, int neighbours) {
  MPI_Request requests[8];
  for (int step = 0; step < n; step++) {
    int count = 0;
    for (int i = 1; i < n; i++) a[i] += a[i - 1] / i;
    for (int i = 0; i < neighbours; i++) MPI_Irecv(a + i, 1, MPI_DOUBLE, i, 3, MPI_COMM_WORLD, &requests[count++]);
    for (int i = 0; i < neighbours; i++) MPI_Send(a + i, 1, MPI_DOUBLE, i, 3, MPI_COMM_WORLD);
    if (count > 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

static void some_perhaps(double* a, int n, int neighbours) {
  MPI_Request requests[8];
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int step = 0; step < n; step++) {
    int count = 0;
    for (int i = 1; i < n; i++) a[i] += a[i - 1] / i;
    for (int i = 0; i < neighbours; i++) MPI_Irecv(a + i, 1, MPI_DOUBLE, i, 3, comm, &requests[count++]);
    for (int i = 0; i < neighbours; i++) MPI_Send(a + i, 1, MPI_DOUBLE, i, 3, comm);
    if (count > 1) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static double a[8000];
  none_to_wait_for(a, 1000 * argc, argc);
  some_perhaps(a, 1000 * argc, argc);
  MPI_Finalize();
  return 0;
}
