#include "adversarial.h"
__attribute__((weak)) double hook(int it) { return 0; }
int main(int argc, char **argv) {
  start(&argc, &argv);
  extern void setup(int);
  setup(rank);
  double s = 0;
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    s += hook(it);
  }
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
