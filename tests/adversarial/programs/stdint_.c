#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  char l[64];
  for (int it = 0; it < 10; it++) {
    double x = 0;
    if (rank == 0 && fgets(l, 64, stdin)) x = atof(l);
    s += gsum(x);
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
