/* Times loops with and without a safe point, in turn. Prints the nanoseconds per pass of each, one round a line.
 * Under cppc-run the doorbell is the agent's, as in any job. */
#include <cppc/cppc.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 31, PASSES = 5000000 };

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The barrier for the compiler keeps both loops from being folded. */
static double plain(void) {
  const double start = now_ns();
  for (int i = 0; i < PASSES; ++i) __asm__ volatile("" ::: "memory");
  return (now_ns() - start) / PASSES;
}

static double with_safe_point(cppc_frame* frame) {
  const double start = now_ns();
  for (int i = 0; i < PASSES; ++i) {
    if (cppc_safe_point(1)) cppc_stop(frame, 1);
    __asm__ volatile("" ::: "memory");
  }
  return (now_ns() - start) / PASSES;
}

static const cppc_place places[] = {{NULL, NULL, 0}};
static const cppc_routine routine = {"main", places, 1};

int main(int argc, char** argv) {
  cppc_frame frame;
  cppc_start(&argc, &argv);
  if (cppc_enter(&frame, &routine, NULL) != 0) return 1; /* nobody migrates this program */
  MPI_Init(&argc, &argv);
  for (int round = 0; round < ROUNDS; ++round) {
    const double bare = plain();
    printf("%.4f %.4f\n", bare, with_safe_point(&frame));
  }
  cppc_leave(&frame);
  MPI_Finalize();
  return 0;
}
