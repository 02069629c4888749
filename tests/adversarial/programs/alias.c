/* One variable and one function under two names. */
#include "adversarial.h"
static double store = 3;
extern double other_name __attribute__((alias("store")));
static double real_step(int it) { return store += it; }
static double step(int it) __attribute__((alias("real_step")));
int main(int argc, char** argv) {
  start(&argc, &argv);
  double sum = 0;
  for (int it = 0; it < 10; it++) sum += gsum(it) + step(it) + other_name + rank;
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
