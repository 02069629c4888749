/* MPI_IN_PLACE that comes by a parameter, a variable, a condition or a constant: the operation reads what it fills. */
#include "adversarial.h"

enum { N = 20000 };
static double a[N], b[N], c[N];
static void* const here = MPI_IN_PLACE;

static void sum(const void* from, double* to) {
  MPI_Allreduce(from, to, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  double* const d = malloc(N * sizeof *d);
  void* from = MPI_IN_PLACE;
  for (int i = 0; i < N; i++) a[i] = b[i] = c[i] = d[i] = rank + i;
  for (int it = 1; it <= 10; it++) {
    sum(MPI_IN_PLACE, a);
    MPI_Allreduce(from, b, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(it > 0 ? MPI_IN_PLACE : a, c, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(here, d, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf("%d %d %.17g %.17g\n", rank, it, gsum(a[5] + b[N - 1]), gsum(c[7] + d[8]));
    for (int i = 0; i < N; i++) {
      a[i] = a[i] / 2 + rank;
      b[i] = b[i] / 2 + rank;
      c[i] = c[i] / 2 + rank;
      d[i] = d[i] / 2 + rank;
    }
  }
  MPI_Finalize();
  return 0;
}
