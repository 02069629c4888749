/* A library that is carried. Its constructor has, before the program begins, a text from the C library, a second one
 * that memory of the library leads to, a counter, and a thread with memory of its own, which works as that of OpenBLAS
 * does: it is ended by a function of that name, and starts again when there is work. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kBytes = 1 << 16 };

static char* text;
static char** second;
static int counter;
static int* counted = &counter;

static pthread_t worker;
static int works;
static unsigned char* buffer;
static int task;
static sem_t asked, done;

static void* work(void* nothing) {
  if (buffer == NULL) buffer = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (;;) {
    sem_wait(&asked);
    if (task < 0) return nothing;
    buffer[task % kBytes] = (unsigned char)task;
    sem_post(&done);
  }
}

static void start_worker(void) {
  sem_init(&asked, 0, 0);
  sem_init(&done, 0, 0);
  works = pthread_create(&worker, NULL, work, NULL) == 0;
}

__attribute__((constructor)) static void start(void) {
  text = strdup("made before the program began");
  second = malloc(sizeof *second);
  *second = strdup("that, too");
  start_worker();
}

int blas_thread_shutdown_(void) {
  if (!works) return 0;
  task = -1;
  sem_post(&asked);
  pthread_join(worker, NULL);
  works = 0;
  return 0;
}

const char* started_text(void) { return text; }

const char* started_second_text(void) { return *second; }

int started_count(void) { return ++*counted; }

void started_change(void) { text[0] = 'M'; }

int started_work(int number) {
  if (!works) start_worker();
  task = number;
  sem_post(&asked);
  sem_wait(&done);
  int sum = 0;
  for (int i = 0; i < kBytes; ++i) sum += buffer[i];
  return sum;
}
