// FLAGS -O2 -fopenmp
/* The main thread's copy of a threadprivate variable, the number of threads, a lock, a nested team. */
#include <omp.h>

#include "adversarial.h"
static int own;
#pragma omp threadprivate(own)
int main(int argc, char** argv) {
  start(&argc, &argv);
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_num_threads(3);
  long sum = 0, threads = 0;
  own = 10 + rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += own++;
#pragma omp parallel
    {
      char* block = malloc(100);
      omp_set_lock(&lock);
      threads++;
      sum += it;
      omp_unset_lock(&lock);
      free(block);
    }
  }
  printf("%d %ld %ld %d\n", rank, sum, threads, omp_get_max_threads());
  MPI_Finalize();
  return 0;
}
