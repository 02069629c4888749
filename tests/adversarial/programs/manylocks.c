/* More locks than libcppc remembers. */
#define _GNU_SOURCE
#include <pthread.h>

#include "adversarial.h"

#define LOCKS 300

int main(int argc, char** argv) {
  start(&argc, &argv);
  pthread_mutex_t* const locks = malloc(LOCKS * sizeof *locks);
  for (int i = 0; i < LOCKS; i++) {
    locks[i] = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&locks[i]);
  }
  for (int it = 0; it < 10; it++) printf("%d %d %g\n", rank, it, gsum(it));
  for (int i = 0; i < LOCKS; i++) pthread_mutex_unlock(&locks[i]);
  MPI_Finalize();
  return 0;
}
