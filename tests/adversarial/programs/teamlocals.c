// FLAGS -O2 -fopenmp
/* Thread-locals of the threads of OpenMP, with their own addresses in them; what each has set for flushing to zero. */
#include <omp.h>
#include <xmmintrin.h>

#include "adversarial.h"
static int counted;
#pragma omp threadprivate(counted)
static __thread double numbers[100] = {1, 2, 3};
static __thread int* place;
static double tiny = 1e-300;
int main(int argc, char** argv) {
  start(&argc, &argv);
  omp_set_dynamic(0);
  omp_set_num_threads(3);
  double sums[3], flushed[3];
  for (int step = 0; step < 10; step++) {
#pragma omp parallel
    {
      const int thread = omp_get_thread_num();
      if (step == 0) {
        place = &counted;
        if (thread == 1) _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
      }
      *place += thread + 1;
      numbers[thread] += counted;
      sums[thread] = numbers[thread];
      volatile double small = tiny;
      flushed[thread] = small * 1e-10 * 1e300;
    }
    gsum(step);
    printf("%d %d %g %g %g %g %g %g\n", rank, step, sums[0], sums[1], sums[2], flushed[0], flushed[1], flushed[2]);
  }
  MPI_Finalize();
}
