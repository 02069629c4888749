#include "adversarial.h"
#include <ucontext.h>
static ucontext_t mainc, a;
static char* stack;
static int v;
static void gen(int n) {
  for (int i = 0; i < n; ++i) {
    v = i * i;
    if (i % 3 == 0) gsum(i);
    swapcontext(&a, &mainc);
  }
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  stack = malloc(65536);
  getcontext(&a);
  a.uc_stack.ss_sp = stack;
  a.uc_stack.ss_size = 65536;
  a.uc_link = &mainc;
  makecontext(&a, (void (*)(void))gen, 1, 20);
  for (int i = 0; i < 20; ++i) {
    swapcontext(&mainc, &a);
    gsum(v);
    printf("%d %d %d\n", rank, i, v);
  }
  MPI_Finalize();
  return 0;
}
