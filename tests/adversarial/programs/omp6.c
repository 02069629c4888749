// FLAGS -O2 -fopenmp
/* Critical sections and locks that were there before the rank moved, one of them set meanwhile. */
#include <omp.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_num_threads(3);
  long first = 0, second = 0, locked = 0;
  for (int it = 0; it < 10; it++) {
#pragma omp parallel
    {
#pragma omp critical
      first += it;
#pragma omp critical(other)
      second += 2 * it;
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
    }
    omp_set_lock(&lock);
    gsum(it);
    printf("%d %d %d\n", rank, it, omp_test_lock(&lock));
    omp_unset_lock(&lock);
  }
  printf("%d %ld %ld %ld\n", rank, first, second, locked);
  MPI_Finalize();
  return 0;
}
