/* Arrays that are written in each step, and read before in functions that jump: by a table of labels, or by longjmp().
 * Nothing that is read behind a call of such a function is dead. What is written before is. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

enum { N = 8192 };

static double jumped[N], landed[N], before[N];
static jmp_buf place;

static double by_label(int which) {
  static const void* const labels[] = {&&one, &&two};
  goto* labels[which % 2];
one:
  return jumped[0];
two:
  return jumped[1];
}

static void leave(void) { longjmp(place, 1); }

static double by_jump(void) {
  if (setjmp(place) == 0) leave();
  return landed[0];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double sum = 0, all = 0;
  for (int step = 1; step < 12; step++) {
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    for (int i = 0; i < N; i++) before[i] = step;
    sum += by_label(step) + by_jump() + before[1];
    for (int i = 0; i < N; i++) jumped[i] = landed[i] = step;
  }
  printf("%.17g %.17g\n", sum, all);
  MPI_Finalize();
  return 0;
}
