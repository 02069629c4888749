/* Arrays that are written in each step, and read before where a type is written, to say how long it is: none of them is
 * dead. What is read before the loop only is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8192 };

static int named[N], measured[N], pointed[N], given[N], cast[N];
static double once[N];

static int length(const int* from) { return from[0] + 1; }

/* A name for a type. */
static int by_name(void) {
  typedef char row[length(named)];
  return (int)sizeof(row);
}

static int by_size(void) { return (int)sizeof(char[length(measured)]); }

static int by_pointer(void) {
  static char many[64];
  char(*rows)[length(pointed)] = (char(*)[length(cast)])(void*)many;
  return (int)((char*)(rows + 1) - many);
}

static int by_parameter(int n, char rows[][length(given)]) { return (int)((char*)(rows + n) - (char*)rows); }

static void fill(int step) {
  for (int i = 0; i < N; i++) named[i] = measured[i] = pointed[i] = given[i] = cast[i] = step;
}

int main(int argc, char** argv) {
  static char many[64];
  MPI_Init(&argc, &argv);
  fill(1);
  for (int i = 0; i < N; i++) once[i] = i;
  double sum = once[7], all = 0;
  for (int step = 2; step < 13; step++) {
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
    sum += by_name() + by_size() + by_pointer() + by_parameter(1, (void*)many);
    fill(step);
  }
  printf("%.17g %.17g\n", sum, all);
  MPI_Finalize();
  return 0;
}
