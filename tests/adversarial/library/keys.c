/* Its constructor makes keys for values of threads, and sets the random numbers that the program draws. */
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
static pthread_key_t key;
static tss_t other;
__attribute__((constructor)) static void starts(void) {
  pthread_key_create(&key, free);
  tss_create(&other, free);
  srand(5);
}
int *first_value(void) {
  if (pthread_getspecific(key) == NULL) pthread_setspecific(key, calloc(1, sizeof(int)));
  return pthread_getspecific(key);
}
int *second_value(void) {
  if (tss_get(other) == NULL) tss_set(other, calloc(1, sizeof(int)));
  return tss_get(other);
}
