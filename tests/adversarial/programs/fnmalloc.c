/* malloc() and functions of the C and the mathematical library through pointers. */
#include <math.h>

#include "adversarial.h"
static void* (*volatile get)(size_t) = malloc;
static void (*volatile give)(void*) = free;
int main(int argc, char** argv) {
  start(&argc, &argv);
  double (*functions[3])(double) = {sqrt, cos, exp};
  int (*compare)(const char*, const char*) = strcmp;
  int (*reduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) = MPI_Allreduce;
  double sum = 0, all;
  for (int it = 0; it < 10; it++) {
    double* block = get(100 * sizeof *block);
    block[50] = functions[it % 3](it + rank);
    reduce(&block[50], &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += all + block[50] + (compare("a", "b") < 0);
    give(block);
  }
  printf("%d %.12g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
