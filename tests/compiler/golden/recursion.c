/* Recursion with two calls in one statement, early returns, a switch, a static variable and a pointer to a function. */
#include <mpi.h>
#include <stdio.h>

static double half(double x) { return x / 2; }
static double third(double x) { return x / 3; }
static double (*shrink)(double) = half;

static double leaf(double x) {
  static long visits;
#pragma cppc checkpoint
  for (int i = 0; i < 3; i++) {
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    x = shrink(x);
    visits++;
  }
  return x + (double)visits;
}

static double tree(int depth, double x) {
  if (depth == 0) return leaf(x);
  switch (depth % 3) {
    case 0:
      return tree(depth - 1, x) + tree(depth - 1, x * 2);
    case 1: {
      const double y = tree(depth - 1, x + 1);
      return y;
    }
    default:
      break;
  }
  x += tree(depth - 1, shrink(x));
  return x;
}

int main(void) {
  MPI_Init(NULL, NULL);
  shrink = third;
  const double sum = tree(6, 1);
  printf("%.17g\n", sum);
  MPI_Finalize();
  return 0;
}
