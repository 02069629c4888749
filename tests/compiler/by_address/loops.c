/* Loops that get no safe point: one over options, in which nobody communicates; those of several threads; one from a
 * macro. One with an array of variable length around it does, and one beside setjmp(). */
#include <getopt.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define TWICE(what) \
  { what; what; }

static double values[8192];
static jmp_buf place;

static double add(double value) {
  double sum;
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void by_thread(int steps) {
  for (int step = 0; step < steps; step++)
    if (step % 7 == 0) values[step] = add(step);
}

static double of_length(int n, int steps) {
  double many[n];
  for (int i = 0; i < n; i++) many[i] = i;
  for (int step = 0; step < steps; step++) many[step % n] += add(step) + add(1);
  return many[0];
}

static double with_jumps(int steps) {
  double sum = 0;
  if (setjmp(place) != 0) return 0;
  for (int step = 0; step < steps; step++) sum += add(sum);
  return sum;
}

int main(int argc, char** argv) {
  int verbose = 0, option;
  MPI_Init(&argc, &argv);
  while ((option = getopt(argc, argv, "v")) != -1) verbose += option == 'v';
#pragma omp parallel
  {
    for (int step = 0; step < 50; step++) {
#pragma omp master
      values[step] = add(step);
#pragma omp barrier
    }
    by_thread(50 * argc);
  }
  for (int step = 0; step < 50 * argc; step++) TWICE(values[0] += add(step));
  printf("%g %g %d\n", of_length(argc * 4, 100 * argc), with_jumps(100 * argc), verbose);
  MPI_Finalize();
  return 0;
}
