#include "adversarial.h"
/* out-parameter of a recursive function, set by a library function through the pointer */
static double deep(int d, int *out) {
  int mine = 40 + d + rank;
  double s = 0;
  if (out) MPI_Comm_size(MPI_COMM_WORLD, out);
  if (d == 0) {
    for (int it = 0; it < 3; it++) s += gsum(it);
    return s + mine;
  }
  int got;
  s = deep(d - 1, &mine);
  got = mine;
  s += got;
  return s;
}
static double again(int d, int *out) {
  int mine = 40 + d + rank;
  double s = 0;
  for (int it = 0; it < 2; it++) {
    s += gsum(d);
    if (it == 1 && out) MPI_Comm_rank(MPI_COMM_WORLD, out);
    if (d > 0 && it == 0) s += again(d - 1, NULL);
  }
  return s + mine;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = deep(3, NULL);
  int z;
  s += again(2, &z);
  printf("%d %g %d\n", rank, s, z);
  MPI_Finalize();
  return 0;
}
