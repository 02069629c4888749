/* Scalars of more than one number, whose types C has no names for: as locals, arguments and results; an array of a structure
   without a name; standard input; numbers that are received while others are sent from a structure with a pointer. */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>

static struct {
  int number;
  double value;
} table[3] = {{1, 0.5}, {2, 1.5}, {3, 2.5}};

static struct {
  long count;
  double* numbers;
} own;
static long counts[2];

static long count_with(double* numbers, int step) {
  own.numbers = numbers;
  own.count = step;
  MPI_Allreduce(&own.count, &counts[step % 2], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return counts[0] + counts[1] + (long)own.numbers[0];
}

static double step_with(long double complex z, __int128 wide, int step) {
  double sum = creal(z), all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all + (double)cimagl(z) + (double)(wide >> 64) + step;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  long double complex z = 1.25L + 2.5L * I;
  __int128 wide = (__int128)123456789 << 70;
  double sum = 0;
  int got = 0;
  for (int step = 0; step < 12; ++step) {
    sum += step_with(z, wide, step);
    sum += (double)count_with(&table[step % 3].value, step);
    z += 0.5L * I;
    wide += (__int128)1 << 66;
    table[step % 3].number += step;
    table[step % 3].value += sum;
    if (scanf("%d", &got) == 1) sum += got;
  }
  printf("%.17g %d %.17g %.17g\n", sum, table[1].number, table[2].value, (double)creall(z));
  MPI_Finalize();
  return 0;
}
