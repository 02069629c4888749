/* A list of arguments that is read in a loop of steps. */
#include "adversarial.h"
static double add(int count, ...) {
  va_list arguments;
  double sum = 0;
  va_start(arguments, count);
  for (int i = 0; i < count; i++) sum += gsum(i) * va_arg(arguments, double) + va_arg(arguments, int);
  va_end(arguments);
  return sum;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  double sum = add(5, 1.0 + rank, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5);
  sum += add(5, 1.0, 5, 2.0, 4, 3.0 + rank, 3, 4.0, 2, 5.0, 1);
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
