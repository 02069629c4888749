/* Names that are other things at a safe point, or at the end of the file, than where an array is overwritten: a local
   enumerator, macros of variables and members. Bounds that are no whole numbers, and pointers to before an array. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000 };

struct pair {
  double *x, *y;
};

static int n = 100;
static double by_number[N], undone[N], other[N], hidden[N], another[N], rows[N][1], low = -0.5;
static double *block, *from_one;
static struct pair pair;

static void start(double* values, int rank) {
  for (int i = 0; i < N; ++i) values[i] = i * 0.5 + rank * 100 + 1;
}
static double sum_of(const double* values) {
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += values[i] * (i % 13 + 1);
  return sum;
}
static void fill(double* values, double value) {
  for (int i = 0; i < n; ++i) values[i] = value + i;
}
static void start_all(int rank) {
  pair.x = malloc(N * sizeof *pair.x);
  pair.y = malloc(N * sizeof *pair.y);
  block = malloc(N * sizeof *block);
  from_one = block - 1;
  for (double** one = (double*[]){by_number, undone, other, hidden, another, rows[0], block, pair.x, pair.y, 0}; *one;
       ++one)
    start(*one, rank);
}
static double members(double value) {
  for (int i = 0; i < N; ++i) pair.x[i] = value + i;
  pair.y[5] += value;
  return sum_of(pair.x) + sum_of(pair.y);
}

#define undone other
#define hidden another
#define x y

int main(int argc, char** argv) {
  enum { n = 4000 };
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  start_all(rank);
  for (int it = 1; it <= 10; ++it) {
    double one = it + rank, all, sum = 0;
    MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    fill(by_number, all);
    sum += sum_of(by_number);
    by_number[n - 1] += it;
    sum += sum_of(undone) + sum_of(hidden) + members(all);
    undone[it] += all;
    hidden[it] += all;
    for (int j = 0; j < N; ++j)
      for (int i = 0; i <= low; ++i) rows[j][i] = it + j;
    sum += sum_of(rows[0]);
    rows[3][0] += it;
    for (int i = 1; i <= N; ++i) sum += from_one[i] * (i % 7);
    for (int i = 0; i < N; ++i) block[i] = all + i * it;
    printf("%d %d %.17g\n", rank, it, sum);
  }
  MPI_Finalize();
}
#undef undone
