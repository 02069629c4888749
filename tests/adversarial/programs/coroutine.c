/* A second stack, left and entered again between the steps. */
#include <ucontext.h>

#include "adversarial.h"
static ucontext_t whole, part;
static double produced;
static void produce(void) {
  for (double value = 1;; value *= 1.5) {
    produced = value + rank;
    swapcontext(&part, &whole);
  }
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  getcontext(&part);
  part.uc_stack.ss_size = 1 << 16;
  part.uc_stack.ss_sp = malloc(part.uc_stack.ss_size);
  makecontext(&part, produce, 0);
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    swapcontext(&whole, &part);
    sum += gsum(produced);
  }
  printf("%d %.12g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
