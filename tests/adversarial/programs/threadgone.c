// FLAGS -O2 -pthread
/* A thread that has ended before each step; a mutex, a condition, a routine that runs once, a key with a value. */
#include <pthread.h>

#include "adversarial.h"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int onces;
static long sum;
static void run_once(void) { onces++; }
static void* work(void* step) {
  pthread_mutex_lock(&mutex);
  sum += (long)(intptr_t)step;
  pthread_mutex_unlock(&mutex);
  return malloc(10);
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  int value = 5 + rank;
  pthread_key_create(&key, NULL);
  pthread_setspecific(key, &value);
  for (int it = 0; it < 10; it++) {
    pthread_t thread;
    void* block;
    pthread_once(&once, run_once);
    pthread_create(&thread, NULL, work, (void*)(intptr_t)it);
    pthread_join(thread, &block);
    free(block);
    pthread_mutex_lock(&mutex);
    gsum(it);
    pthread_mutex_unlock(&mutex);
    sum += *(int*)pthread_getspecific(key);
  }
  printf("%d %ld %d\n", rank, sum, onces);
  MPI_Finalize();
  return 0;
}
