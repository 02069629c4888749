/* Variables of the thread. */
#include <errno.h>

#include "adversarial.h"
static _Thread_local double sum = 2.5;
static _Thread_local struct {
  int count;
  double* heap;
} kept;
int main(int argc, char** argv) {
  start(&argc, &argv);
  double* address = &sum;
  kept.heap = malloc(sizeof(double));
  *kept.heap = rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    *address += it + *kept.heap;
    kept.count++;
  }
  printf("%d %g %d\n", rank, sum, kept.count);
  MPI_Finalize();
  return 0;
}
