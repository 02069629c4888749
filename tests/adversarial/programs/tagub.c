/* Pointers to predefined attributes, asked for once. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  int *limit, *wildcard, found, also;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &wildcard, &also);
  int enough = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    enough += *limit >= 32767 && *wildcard >= 0;
  }
  printf("%d %d %d %d\n", rank, found, also, enough);
  MPI_Finalize();
  return 0;
}
