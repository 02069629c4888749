/* Bounds of loops that fill arrays are written by "%n" and by getopt_long(); one operation fails and fills nothing. */
#include <getopt.h>

#include "adversarial.h"

enum { N = 20000 };
static double a[N], b[N], c[N], zeros[N];
static int n = N, m = N;

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < N; i++) a[i] = b[i] = c[i] = rank + i;
  for (int it = 1; it <= 10; it++) {
    static struct option options[] = {{"short", 0, &m, 77}, {0}};
    char* given[] = {"program", "--short", NULL};
    char text[3000];
    double s = 0;
    snprintf(text, sizeof text, "%*s%n", it * 100, "x", &n);
    for (int i = 0; i < n; i++) a[i] = it + rank;
    optind = 0;
    while (getopt_long(2, given, "", options, NULL) != -1) continue;
    for (int i = 0; i < m; i++) b[i] = it + rank;
    const int failed = MPI_Allreduce(zeros, c, N, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD) != MPI_SUCCESS;
    for (int i = 0; i < N; i++) s += a[i] + b[i] + c[i];
    printf("%d %d %d %.17g\n", rank, it, failed, gsum(s));
    n = m = N;
    for (int i = 0; i < N; i++) c[i] += it;
  }
  MPI_Finalize();
  return 0;
}
