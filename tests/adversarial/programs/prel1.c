/* A library without source that reads a variable of the program. */
#include "adversarial.h"
double tuning;
double lib_use(void);
int main(int argc, char** argv) {
  start(&argc, &argv);
  double sum = 0;
  tuning = 2 + rank;
  for (int it = 0; it < 10; it++) sum += gsum(it) + lib_use();
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
