#include "adversarial.h"
/* ordered by address: sorted array of pointers, looked up by bsearch */
static int cmp(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  return x < y ? -1 : x > y;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  double *obj[20], *sorted[20], s = 0;
  for (int i = 0; i < 20; i++) {
    obj[i] = malloc(sizeof(double) * (1 + (i * 7) % 20 * 300));
    obj[i][0] = i + rank;
  }
  memcpy(sorted, obj, sizeof obj);
  qsort(sorted, 20, sizeof *sorted, cmp);
  int missing = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (int i = 0; i < 20; i++) {
      double **p = bsearch(&obj[i], sorted, 20, sizeof *sorted, cmp);
      if (!p)
        missing++;
      else
        s += **p;
    }
  }
  printf("%d %.12g missing %d\n", rank, s, missing);
  MPI_Finalize();
  return 0;
}
