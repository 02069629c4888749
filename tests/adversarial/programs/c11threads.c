// FLAGS -O2 -pthread
/* Threads as C11 has them: some that have ended when the rank moves, with what they return, and one that has not. */
#include <stdint.h>
#include <threads.h>

#include "adversarial.h"
static int twice(void* number) { return 2 * (int)(intptr_t)number; }
static int work(void* end) {
  while (!*(volatile int*)end) thrd_yield();
  return 0;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  thrd_t thread, another;
  static int end;
  for (int it = 0; it < 10; it++) {
    int result = 0;
    thrd_create(&thread, twice, (void*)(intptr_t)it);
    thrd_join(thread, &result);
    gsum(result);
    if (it == 5) thrd_create(&another, work, &end);
  }
  end = 1;
  thrd_join(another, NULL);
  printf("%d\n", rank);
  MPI_Finalize();
  return 0;
}
