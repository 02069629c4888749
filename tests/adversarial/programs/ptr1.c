/* Pointers before the beginning of their block. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  double* one = (double*)malloc(10 * sizeof(double)) - 1;
  int* hundred = (int*)malloc(10 * sizeof(int)) - 100;
  double sum = 0;
  for (int i = 1; i <= 10; i++) one[i] = hundred[99 + i] = i + rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += one[1 + it] + hundred[100 + it];
    one[10]++;
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
