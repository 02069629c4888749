/* Which loops get a safe point: those of a driver, and the time steps that it leads to through other functions,
 * whichever of two ways it goes. Not a loop of which a receive is waited for on another condition than it was started
 * on. Small static arrays do not matter. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double watches[8];

static void start_watches(void) {
  for (int i = 0; i < 8; i++) watches[i] = 0;
}

static int exchange(double* a, int n, int neighbour) {
  MPI_Request request;
  MPI_Status status;
  int code = MPI_SUCCESS;
  if (neighbour >= 0) code = MPI_Irecv(a, n, MPI_DOUBLE, neighbour, 1, MPI_COMM_WORLD, &request);
  if (code == MPI_SUCCESS) code = MPI_Send(a + n, n, MPI_DOUBLE, neighbour, 1, MPI_COMM_WORLD);
  if (neighbour >= 0) {
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, &status);
  }
  if (code != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, code);
  return code;
}

static void careful(double* a, int n, int steps, int neighbour) {
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < n; i++)
      for (int j = 0; j < n; j++) a[i] += a[j] / (i + j);
    exchange(a, n / 2, neighbour);
  }
}

static void quick(double* a, int n, int steps, int neighbour) {
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < n; i++) a[i] += a[i - 1];
    exchange(a, n / 2, neighbour);
  }
}

static void solve(double* a, int n, int steps, int neighbour) {
  if (n > 100)
    quick(a, n, steps, neighbour);
  else
    careful(a, n, steps, neighbour);
}

static double test(int n, int steps, int neighbour) {
  double* a = calloc((size_t)n, sizeof *a);
  start_watches();
  solve(a, n, steps, neighbour);
  const double result = a[n - 1] + watches[0];
  free(a);
  return result;
}

static void unsure(double* a, int n, int even, int odd) {
  MPI_Request request;
  for (int step = 0; step < n; step++) {
    if (even) MPI_Irecv(a, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Send(a, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    if (odd) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double a[8] = {1};
  for (int n = 2; n < 100 * argc; n++) printf("%g\n", test(n, 50 * argc, argc - 1));
  unsure(a, 8, argc, argc - 1);
  MPI_Finalize();
  return 0;
}
