/* What each thread has of its own, and a loop that communicates inside a parallel region. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { N = 4096 };

static double field[N];
static _Thread_local double own[N];
static double private_to_each[N];
#pragma omp threadprivate(private_to_each)

static double first(const double* values) { return values[0]; }

static double inside(int rounds) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    for (int i = 0; i < N; i++) own[i] = private_to_each[i] = omp_get_thread_num() + i;
    for (int round = 0; round < rounds; round++) {
#pragma omp master
      {
        double one = round, all = 0;
        MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        field[round % N] += all;
      }
#pragma omp barrier
    }
    const double* shared = field; // a variable of the region, which leads out of it
    sum += own[7] + private_to_each[9] + first(shared);
  }
  return sum;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  double sum = 0, all = 0;
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < N; i++) field[i] = own[i] = private_to_each[i] = step;
    sum += inside(20) + field[3] + own[5] + private_to_each[6];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  }
  printf("%.17g %.17g\n", sum, all);
  MPI_Finalize();
  return 0;
}
