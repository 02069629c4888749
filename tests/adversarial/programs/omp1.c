// FLAGS -O2 -fopenmp
#include <omp.h>

#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  int nt = argc > 1 ? atoi(argv[1]) : 3, chunk = 2 + rank;
  double w[100];
  double sum = 0;
  int lim = 50;
  long team = 0;
  for (int i = 0; i < 100; i++) w[i] = i + rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    double t = 0;
#pragma omp parallel for num_threads(nt) schedule(static, chunk) reduction(+ : t) if (lim > 10)
    for (int i = 0; i < 100; i++) {
      t += w[i];
      if (i == 0) team += omp_get_num_threads();
    }
    sum += t;
  }
  printf("%d %g team %ld\n", rank, sum, team);
  MPI_Finalize();
  return 0;
}
