/* Static arrays of this file and of another one that nobody reads any more at a safe point, or not before they are
 * written; beside others that are read: through a pointer, by a handler, under the name of a local variable, behind the
 * loop. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "statics.h"

enum { N = 4096 };

static double start[N];     /* read before the loop only */
static double scratch[N];   /* written in each step, before it is read */
static double behind[N];    /* read behind the loop */
static double through[N];   /* read by a pointer */
static double at_exit[N];   /* read by a handler */
static double same_name[N]; /* dead, but its name is another's here */
static double* pointer;
static char buffer[8192]; /* the C library's, behind our back */

static void handler(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += at_exit[i];
  printf("at exit %g\n", sum);
}

static double first(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += start[i] + same_name[i];
  return sum;
}

static double run(int steps) {
  double sum = 0, same_name = 2, large[N];
  static double kept[N];
  for (int i = 0; i < N; i++) large[i] = kept[i] = 0;
  for (int step = 0; step < steps; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    for (int i = 0; i < N; i++) scratch[i] = step + i;
    for (int i = 0; i < N; i++) large[i] = 1 + scratch[i];
    for (int i = 0; i < N; i++) sum += same_name * large[i] + pointer[i] + kept[i]++;
    sum += work_outside(step);
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  atexit(handler);
  printf("a line that waits in the buffer\n");
  for (int i = 0; i < N; i++) start[i] = behind[i] = through[i] = at_exit[i] = same_name[i] = i;
  pointer = through;
  fill_outside();
  double sum = first() + first_outside() + run(8);
  for (int i = 0; i < N; i++) sum += behind[i];
  printf("%.17g\n", sum);
  MPI_Finalize();
  return 0;
}
