#include "adversarial.h"
#define NR_END 1
static double *dvector(long nl, long nh) {
  double *v = (double *)malloc((size_t)((nh - nl + 1 + NR_END) * sizeof(double)));
  return v - nl + NR_END;
}
static void free_dvector(double *v, long nl, long nh) { free((char *)(v + nl - NR_END)); }
static double **dmatrix(long nrl, long nrh, long ncl, long nch) {
  long i, nrow = nrh - nrl + 1, ncol = nch - ncl + 1;
  double **m;
  m = (double **)malloc((size_t)((nrow + NR_END) * sizeof(double *)));
  m += NR_END;
  m -= nrl;
  m[nrl] = (double *)malloc((size_t)((nrow * ncol + NR_END) * sizeof(double)));
  m[nrl] += NR_END;
  m[nrl] -= ncl;
  for (i = nrl + 1; i <= nrh; i++) m[i] = m[i - 1] + ncol;
  return m;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  double *a = dvector(1, 10), *b = dvector(5, 12), **m = dmatrix(1, 4, 1, 5), **n = dmatrix(3, 6, 2, 7);
  for (int i = 1; i <= 10; i++) a[i] = i + rank;
  for (int i = 5; i <= 12; i++) b[i] = 2 * i;
  for (int i = 1; i <= 4; i++)
    for (int j = 1; j <= 5; j++) m[i][j] = i * j;
  for (int i = 3; i <= 6; i++)
    for (int j = 2; j <= 7; j++) n[i][j] = i + j;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (int i = 1; i <= 10; i++) s += a[i];
    for (int i = 5; i <= 12; i++) s += b[i];
    for (int i = 1; i <= 4; i++)
      for (int j = 1; j <= 5; j++) s += m[i][j];
    for (int i = 3; i <= 6; i++)
      for (int j = 2; j <= 7; j++) s += n[i][j];
    a[3]++;
    n[4][4]++;
    m[2][2]++;
    b[5]++;
  }
  printf("%d %.12g\n", rank, s);
  free_dvector(a, 1, 10);
  MPI_Finalize();
  return 0;
}
