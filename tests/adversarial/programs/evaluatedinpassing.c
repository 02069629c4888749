// FLAGS -O2 -fopenmp
// Calls that are made where nobody looks for them: in types, in clauses of OpenMP; and pointers of another thread.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000 };

static double in_type[N], in_size[N], in_clause[N];
static double *of_others, *own, *spare;
#pragma omp threadprivate(own)

static double seen;

static int type_length(void) {
  for (int i = 0; i < N; ++i) seen += in_type[i] * (i % 13 + 1);
  return 4;
}
static int size_length(void) {
  for (int i = 0; i < N; ++i) seen += in_size[i] * (i % 13 + 1);
  return 4;
}
static int chunk(void) {
  for (int i = 0; i < N; ++i) seen += in_clause[i] * (i % 13 + 1);
  return 2;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n = 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_set_dynamic(0);
  of_others = malloc(N * sizeof *of_others);
  spare = malloc(N * sizeof *spare);
  for (int i = 0; i < N; ++i) of_others[i] = spare[i] = in_type[i] = in_size[i] = in_clause[i] = i;
  own = spare;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) own = of_others;

  double sum = 0;
  for (int step = 0; step < 12; ++step) {
    double all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double(*rows)[n] = malloc(sizeof *rows), (*(*made)(int))[type_length()] = NULL;
    __typeof__(*(size_length(), rows)) row;
    row[0] = made == NULL;
    double counted = 0, other = 0;
#pragma omp parallel for reduction(+ : counted) schedule(dynamic, chunk()) num_threads(1)
    for (int i = 0; i < 10; ++i) counted += i;
#pragma omp parallel num_threads(2) reduction(+ : other)
    if (omp_get_thread_num() == 1)
      for (int i = 0; i < N; ++i) other += own[i];
    sum += row[0] + counted + other + seen * 1e-6 + all * 1e-9;
    free(rows);
    for (int i = 0; i < N; ++i) in_type[i] = step + i;
    for (int i = 0; i < N; ++i) in_size[i] = step - i;
    for (int i = 0; i < N; ++i) in_clause[i] = step * i;
    for (int i = 0; i < N; ++i) of_others[i] = step + i;
    sum += in_type[step] + in_size[step] + in_clause[step] + of_others[step] + spare[step];
  }
  printf("rank %d: %.17g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
