/* What stands where the translator cannot change it, and arguments that can neither be repeated nor left out. */
#include <mpi.h>
#include <signal.h>
#include <steps.h>

#define COUNT(k, n) for (int k = 0; k < n; ++k)
typedef const int number;

static int total;
static int step(int by) {
#pragma cppc checkpoint
  for (int k = 0; k < 1; k++) MPI_Barrier(MPI_COMM_WORLD);
  return total += by;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  number from = argc;
  COUNT(k, from) step(k);
  for (int k =
#include <start.h>
           ; k < 9; ++k)
    step(from);
  int n = from;
  total += step(n = total);
  total += step(total > 3 ? n++ : 0);
  steps(n);
  sigaction(SIGUSR1, NULL, NULL);
  MPI_Finalize();
  return total == from;
}
