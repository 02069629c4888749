/* signgam, a variable of the mathematical library. */
#include <math.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  const double value = lgamma(-0.5 - rank);
  const int sign = signgam;
  double sum = 0;
  for (int it = 0; it < 10; it++) sum += gsum(it) + signgam;
  printf("%d %g %d %d %.10g\n", rank, sum, sign, signgam, value);
  MPI_Finalize();
  return 0;
}
