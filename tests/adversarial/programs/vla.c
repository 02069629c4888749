#include "adversarial.h"
static double trace(int n, double (*a)[n]) {
  double t = 0;
  for (int i = 0; i < n; i++) t += a[i][i];
  return t;
}
static double kern(int n, int m, double a[n][m], int *sz) {
  double t = 0;
  m = m * 0 + 1;
  *sz = sizeof a[0];
  for (int it = 0; it < 5; it++) {
    t += gsum(a[it % n][2]);
    t += sizeof a[0] + a[1][1] * m;
    a[1][1]++;
  }
  return t;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  int n = 5 + rank, m = 7;
  double s = 0;
  double a[n][m];
  typedef double row[n];
  row *p = malloc(n * sizeof(row));
  double(*q)[m] = malloc(n * sizeof *q);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) a[i][j] = q[i][j] = i * m + j + rank;
    for (int j = 0; j < n; j++) p[i][j] = i + j * rank;
  }
  m = 100;
  int sz;
  int nn = n;
  n = 3;
  for (int it = 0; it < 10; it++) {
    s += gsum(it) + a[2][3] + q[3][2] + trace(nn, p) + sizeof(row) + sizeof *q + sizeof a;
    p[1][1]++;
    a[2][3]++;
  }
  s += kern(5, 7, a, &sz);
  printf("%d %.12g %d %d\n", rank, s, sz, m);
  MPI_Finalize();
  return 0;
}
