/* Functions within a function, called through pointers: code on the stack. */
#include "adversarial.h"
static double apply(double (*function)(double), int it) { return function(gsum(it)); }
int main(int argc, char** argv) {
  start(&argc, &argv);
  double weight = 2 + rank, sum = 0;
  double weigh(double x) {
    weight += 1;
    return x * weight;
  }
  double (*kept)(double) = weigh;
  for (int it = 0; it < 10; it++) sum += apply(kept, it) + kept(1);
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
