#include "adversarial.h"
#include <pthread.h>
static pthread_key_t k[5];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int inits;
static void d(void* p) { printf("destroyed %s\n", (char*)p); }
static void init(void) {
  inits++;
  for (int i = 0; i < 5; ++i) pthread_key_create(&k[i], d);
}
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t sp;
static pthread_mutex_t rec;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
int main(int argc, char** argv) {
  start(&argc, &argv);
  pthread_once(&once, init);
  for (int i = 0; i < 5; ++i) pthread_setspecific(k[i], strdup("value"));
  pthread_rwlock_wrlock(&rw);
  pthread_spin_init(&sp, 0);
  pthread_spin_lock(&sp);
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&rec, &a);
  pthread_mutex_lock(&rec);
  pthread_mutex_t ec;
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&ec, &a);
  pthread_mutex_lock(&ec);
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    pthread_once(&once, init);
    printf("%d %d %d %s %d %d %d %d\n", rank, i, inits, (char*)pthread_getspecific(k[i % 5]),
           pthread_rwlock_trywrlock(&rw), pthread_spin_trylock(&sp), pthread_mutex_lock(&rec), pthread_mutex_lock(&ec));
  }
  for (int i = 0; i < 13; ++i) printf("u %d\n", pthread_mutex_unlock(&rec));
  printf("%d %d\n", pthread_mutex_unlock(&ec), pthread_rwlock_unlock(&rw));
  pthread_cond_signal(&cv);
  MPI_Finalize();
  return 0;
}
