/* Loops of every kind around calls that reach a safe point, calls in their conditions, and variable-length arrays. */
#include <mpi.h>
#include <stdio.h>

static int left = 40;

static int more(int* n) {
#pragma cppc checkpoint
  for (int k = 0; k < 2; k++) MPI_Barrier(MPI_COMM_WORLD);
  return (*n)-- > 0;
}

int main(int argc, char** argv) {
  int n = 20, m;
  double r = 0;
  MPI_Init(&argc, &argv);
  while (more(&n)) r += n;
  double row[n + 5];
  row[0] = r;
  for (m = 0; more(&left) && m < 10; m++)
    if (m % 2 == 0) more(&left);
    else
      row[1] = m;
  do {
    r += row[0];
  } while (more(&n));
  printf("%g %g %d\n", r, row[1], left);
  MPI_Finalize();
  return 0;
}
