/* computing MODE: computes for long without a call of MPI, and prints what comes out. While `must_not_stop` is set, it
 * is where it must not be stopped. */
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const char cppc_by_address;
const char cppc_by_address = 1;

volatile int must_not_stop = 0;

enum { LENGTH = 512, STEPS = 400000 };
static double a[LENGTH], b[LENGTH];

/* Vector registers, those of the x87 unit and integers are in use at any instruction. */
static __attribute__((noinline)) double work(long steps) {
  long double x = 1.0L;
  unsigned long hash = 1469598103934665603ul;
  for (int i = 0; i < LENGTH; ++i) a[i] = i, b[i] = LENGTH - i;
  for (long step = 0; step < steps; ++step) {
    for (int i = 0; i < LENGTH; ++i) a[i] = a[i] * 0.999 + b[i] * 1e-3;
    x = x * 1.0000001L + a[step % LENGTH];
    hash = (hash ^ (unsigned long)(x * 1e3L)) * 1099511628211ul;
  }
  double sum = (double)x;
  for (int i = 0; i < LENGTH; ++i) sum += a[i] * (double)(hash % 1000 + (unsigned long)i);
  return sum;
}

static void compute(void) { printf("%.17g\n", work(10 * STEPS)); }

static int slowly(const void* left, const void* right) {
  double x = *(const int*)left, y = *(const int*)right;
  for (int i = 0; i < 400; ++i) x += 1e-9 * (double)i, y += 1e-9 * (double)i;
  return (x > y) - (x < y);
}

static void sort(void) {
  enum { count = 200000 };
  static int numbers[count];
  for (int i = 0; i < count; ++i) numbers[i] = (int)((unsigned)i * 2654435761u >> 8);
  qsort(numbers, count, sizeof *numbers, slowly);
  unsigned hash = 0;
  for (int i = 0; i < count; ++i) hash = hash * 31 + (unsigned)numbers[i];
  printf("%x\n", hash);
}

static void mathematics(void) {
  double sum = 0;
  for (int i = 0; i < 40000000; ++i) sum += exp(sin(sum * 1e-7 + i));
  printf("%.17g\n", sum);
}

static void forbidden(void) {
  must_not_stop = 1;
  work(STEPS);
  must_not_stop = 0;
}

static void allowed(void) {
  for (int i = 0; i < 4; ++i) work(STEPS);
}

static void on_signal(int number) {
  (void)number;
  forbidden();
}

static void handler(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < 4; ++i) {
    raise(SIGUSR1);
    allowed();
  }
}

static void operation(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)length, (void)type;
  forbidden();
}

static void called_by_mpi(void) {
  MPI_Op op;
  int in = 1, inout = 2;
  MPI_Op_create(operation, 1, &op);
  for (int i = 0; i < 4; ++i) {
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    allowed();
  }
  MPI_Op_free(&op);
}

static void* wait_in_thread(void* lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
  return NULL;
}

static void thread(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  for (int i = 0; i < 4; ++i) {
    pthread_t other;
    pthread_mutex_lock(&lock);
    must_not_stop = 1;
    pthread_create(&other, NULL, wait_in_thread, &lock);
    work(STEPS);
    must_not_stop = 0;
    pthread_mutex_unlock(&lock);
    pthread_join(other, NULL);
    allowed();
  }
}

static void parallel(void) {
  for (int i = 0; i < 4; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
      forbidden();
    }
    allowed();
  }
}

/* Calls of the system that begin again only if the handler has them do so. */
static void waiting(void) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 1;
  const int slept = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
  errno = 4711;
  allowed();
  printf("slept: %d, errno: %d\n", slept, errno);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {{"compute", compute},   {"sort", sort},     {"mathematics", mathematics}, {"handler", handler},
               {"mpi", called_by_mpi}, {"thread", thread}, {"parallel", parallel},       {"waiting", waiting}};
  MPI_Init(&argc, &argv);
  for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof *modes; ++i)
    if (strcmp(argv[1], modes[i].name) == 0) modes[i].run();
  MPI_Finalize();
  printf("%.17g\n", work(1000));
  return 0;
}
