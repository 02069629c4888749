/* State of a shared library that is linked by its path. */
#include "adversarial.h"
double tuning = 1;
void lib_seed(int seed);
double lib_next(void);
int main(int argc, char** argv) {
  start(&argc, &argv);
  double sum = 0;
  lib_seed(rank + 1);
  for (int it = 0; it < 10; it++) sum += gsum(it) + lib_next();
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
