/* The direction in which is rounded. */
#include <fenv.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  fesetround(FE_UPWARD);
  volatile double one = 1, three = 3;
  volatile long double sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += one / three + (long double)one / three;
  }
  printf("%d %.17Lg %d\n", rank, sum, fegetround() == FE_UPWARD);
  MPI_Finalize();
  return 0;
}
