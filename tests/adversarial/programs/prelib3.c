#include "adversarial.h"
/* callback from a library without source, which communicates */
double lib_apply(double (*f)(int, void *), int n, void *c);
double tuning;
static double cb(int i, void *c) {
  double s = 0;
  for (int it = 0; it < 3; it++) s += gsum(*(double *)c + i);
  return s;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  double c = 1.5 + rank, s = 0;
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    s += lib_apply(cb, 3, &c);
    c += 1;
  }
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
