#include <stdatomic.h>

#include "adversarial.h"
static atomic_int counter;
static _Atomic double energy;
static int plainc;
int main(int argc, char **argv) {
  start(&argc, &argv);
  atomic_store(&counter, 100 * rank);
  atomic_int *pc = &counter;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    atomic_fetch_add(&counter, it);
    __atomic_fetch_add(&plainc, 3, __ATOMIC_RELAXED);
    energy = energy + 0.5;
  }
  printf("%d %d %d %g\n", rank, atomic_load(pc), __atomic_load_n(&plainc, __ATOMIC_SEQ_CST), (double)energy);
  MPI_Finalize();
  return 0;
}
