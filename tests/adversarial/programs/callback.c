/* Steps within a comparison that qsort() calls. */
#include "adversarial.h"
static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  gsum(x);
  return (x > y) - (x < y);
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  double values[8];
  for (int i = 0; i < 8; i++) values[i] = i * 5 % 8;
  qsort(values, 8, sizeof *values, compare);
  for (int i = 0; i < 8; i++) printf("%d %g\n", rank, values[i]);
  MPI_Finalize();
  return 0;
}
