#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern double ends_[3000], operates_[3000];

static double sum_of(const double* values) {
  double sum = 0;
  for (int i = 0; i < 3000; ++i) sum += values[i];
  return sum;
}

static void last(void) { printf("in the end %.17g\n", sum_of(ends_)); }

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] += ((double*)in)[i] + sum_of(operates_);
}

void ask_(void) { atexit(last); }

void operation_(MPI_Fint* op) {
  MPI_Op made;
  MPI_Op_create(add, 1, &made);
  *op = MPI_Op_c2f(made);
}
