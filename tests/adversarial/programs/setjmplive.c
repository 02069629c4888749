/* A jmp_buf that is used after steps. */
#include <setjmp.h>

#include "adversarial.h"
static jmp_buf back;
static double steps(int from) {
  double sum = 0;
  for (int it = from; it < from + 5; it++) sum += gsum(it);
  longjmp(back, (int)sum);
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  volatile int times = 0;
  const int code = setjmp(back);
  times++;
  if (times < 3) steps(times * 5);
  printf("%d %d %d\n", rank, times, code);
  MPI_Finalize();
  return 0;
}
