#include "adversarial.h"
/* one block: row pointers, then the data (comp.lang.c FAQ 6.16 variant) */
static double **alloc2d(int n, int m) {
  double **a = malloc(n * sizeof(double *) + (size_t)n * m * sizeof(double));
  double *d = (double *)(a + n);
  for (int i = 0; i < n; i++) a[i] = d + i * m;
  return a;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  double **a = alloc2d(8, 8);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) a[i][j] = i * 8 + j + rank * 0.5;
  double s = 0;
  for (int it = 0; it < 10; it++) {
    double t = 0;
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) t += a[i][j];
    s += gsum(t);
    a[it % 8][1] += 1;
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
