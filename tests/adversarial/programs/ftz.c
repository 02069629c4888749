/* Denormal numbers are flushed to zero: a bit of the processor's state. */
#include <pmmintrin.h>
#include <xmmintrin.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
  volatile double small = 1e-300;
  int zeros = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    volatile double product = small * 1e-12;
    zeros += product == 0;
  }
  printf("%d %d zeros\n", rank, zeros);
  MPI_Finalize();
  return 0;
}
