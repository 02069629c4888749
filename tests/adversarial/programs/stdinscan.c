/* Rank 0 reads numbers from standard input by scanf() until there are no more. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  double sum = 0;
  for (int more = 1; more;) {
    double number = 0;
    if (rank == 0) more = scanf("%lf", &number) == 1;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    sum += gsum(number);
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
