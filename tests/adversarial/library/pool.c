/* A library with threads that wait for work, as OpenBLAS keeps them, and ends them when it is asked by OpenBLAS's name;
 * the next work starts them again. */
#include <pthread.h>

enum { THREADS = 2 };
static pthread_t threads[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running, round_now, begun_in, left;
static double sums[THREADS];

static void* serve(void* argument) {
  const long number = (long)argument;
  pthread_mutex_lock(&lock);
  for (int done = begun_in; running;) {
    if (done == round_now) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    done = round_now;
    for (int i = 0; i < 100; i++) sums[number] += (double)(done * i) / (double)(number + 3);
    if (--left == 0) pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

void blas_thread_shutdown_(void) {
  pthread_mutex_lock(&lock);
  const int ends = running;
  running = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  for (int i = 0; ends && i < THREADS; i++) pthread_join(threads[i], 0);
}

double work(void) {
  if (!running) {
    running = 1;
    begun_in = round_now;
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, serve, (void*)i);
  }
  pthread_mutex_lock(&lock);
  round_now++;
  left = THREADS;
  pthread_cond_broadcast(&changed);
  while (left > 0) pthread_cond_wait(&changed, &lock);
  const double sum = sums[0] + sums[1];
  pthread_mutex_unlock(&lock);
  return sum;
}
