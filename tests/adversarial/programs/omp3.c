// FLAGS -O2 -fopenmp
#include <omp.h>

#include "adversarial.h"
static double a[64], b[64];
int main(int argc, char **argv) {
  int prov;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double res = 0;
  for (int i = 0; i < 64; i++) a[i] = i + rank;
#pragma omp parallel num_threads(2)
  {
    for (int it = 0; it < 10; it++) {
#pragma omp for
      for (int i = 0; i < 64; i++) b[i] = a[i] * 0.5 + it;
#pragma omp for
      for (int i = 0; i < 64; i++) a[i] = b[i] + 1;
#pragma omp master
      res += gsum(a[it]);
#pragma omp barrier
    }
  }
  printf("%d %.12g\n", rank, res);
  MPI_Finalize();
  return 0;
}
