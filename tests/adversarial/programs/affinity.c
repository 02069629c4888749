#define _GNU_SOURCE
#include "adversarial.h"
#include <sched.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  cpu_set_t s;
  CPU_ZERO(&s);
  CPU_SET(rank % 2, &s);
  sched_setaffinity(0, sizeof s, &s);
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    cpu_set_t t;
    sched_getaffinity(0, sizeof t, &t);
    printf("%d %d %d %d\n", rank, i, CPU_COUNT(&t), CPU_ISSET(rank % 2, &t) != 0);
  }
  MPI_Finalize();
  return 0;
}
