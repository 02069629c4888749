/* malloc-calls WORK THREADS OPERATIONS: prints the nanoseconds that an operation takes, of each thread. WORK:
 *   pairs        malloc and free of 48 bytes
 *   churn_small  of 100,000 blocks of 16 to 256 bytes, one after the other at random is replaced by another
 *   churn_large  likewise of 500 blocks of 1 to 60 KB */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the library that puts libcppc's functions in place. */
void cppc_bench_enter_program(void) __attribute__((weak));

static long operations;
static const char* work;
static pthread_barrier_t together;

static uint64_t next(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void pairs(void) {
  for (long i = 0; i < operations; ++i) {
    char* volatile block = malloc(48);
    *block = 1;
    free(block);
  }
}

static void churn(char** blocks, uint64_t live, uint64_t least, uint64_t most, uint64_t state) {
  for (long i = 0; i < operations; ++i) {
    char** block = &blocks[next(&state) % live];
    free(*block);
    *block = malloc(least + next(&state) % (most - least + 1));
    **block = 1;
  }
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What all threads take together, from when all are ready. */
static double measure(intptr_t number) {
  if (cppc_bench_enter_program != NULL) cppc_bench_enter_program();
  const int small = strcmp(work, "churn_small") == 0;
  const uint64_t live = small ? 100000 : 500, least = small ? 16 : 1024, most = small ? 256 : 60 * 1024;
  char** blocks = calloc(live, sizeof *blocks);
  uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)number;
  for (uint64_t i = 0; i < live; ++i) blocks[i] = malloc(least + next(&state) % (most - least + 1));
  pthread_barrier_wait(&together);
  const double from = seconds();
  if (strcmp(work, "pairs") == 0) {
    pairs();
  } else {
    churn(blocks, live, least, most, state);
  }
  pthread_barrier_wait(&together);
  return seconds() - from;
}

static void* run(void* number) {
  measure((intptr_t)number);
  return NULL;
}

/* One thread is the main thread, alone in its process: allocators, glibc's above all, are faster then. */
int main(int count, char** arguments) {
  if (count != 4) return 2;
  work = arguments[1];
  const int threads = atoi(arguments[2]);
  operations = atol(arguments[3]);
  pthread_barrier_init(&together, NULL, (unsigned)threads);
  for (intptr_t i = 2; i <= threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void*)i) != 0) return 1;
  }
  printf("%.3f\n", measure(1) / (double)operations * 1e9);
  return 0;
}
