/* Steps on a second stack. */
#include <ucontext.h>

#include "adversarial.h"
static ucontext_t whole, part;
static double sum;
static void work(void) {
  for (int it = 0; it < 10; it++) {
    sum += gsum(it);
    swapcontext(&part, &whole);
  }
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  getcontext(&part);
  part.uc_stack.ss_size = 1 << 18;
  part.uc_stack.ss_sp = malloc(part.uc_stack.ss_size);
  part.uc_link = &whole;
  makecontext(&part, work, 0);
  for (int it = 0; it < 10; it++) swapcontext(&whole, &part);
  printf("%d %.12g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
