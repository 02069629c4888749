// FLAGS -O2 -pthread
/* A thread of the program that works while the ranks do. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "adversarial.h"
static atomic_int end, turns;
static void* work(void* unused) {
  while (!end) usleep(1000), turns++;
  return unused;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  for (int it = 0; it < 10; it++) gsum(it), usleep(10000);
  end = 1;
  pthread_join(thread, NULL);
  printf("%d %d\n", rank, turns > 3);
  MPI_Finalize();
  return 0;
}
