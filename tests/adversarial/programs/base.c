#include "adversarial.h"
int main(int argc, char **argv) {
  int rank, size;
  double x = 1.0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int it = 0; it < 10; it++) {
    double s;
    x = x * 1.5 + rank + it;
    MPI_Allreduce(&x, &s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    x += s / 10;
  }
  printf("%d %.10g\n", rank, x);
  MPI_Finalize();
  return 0;
}
