/* Memory from the end of the data. */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  double *memory = sbrk(8192), sum = 0;
  for (int i = 0; i < 1000; i++) memory[i] = i + rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += memory[100 * it]++;
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
