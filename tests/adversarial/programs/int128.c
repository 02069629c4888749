#include "adversarial.h"
typedef double v4 __attribute__((vector_size(32)));
int main(int argc, char **argv) {
  start(&argc, &argv);
  __int128 big = ((__int128)1 << 100) + rank;
  unsigned __int128 *pb = malloc(16);
  *pb = (unsigned __int128)3 << 90;
  v4 v = {1, 2, 3, rank};
  _Complex long double z = 2 + rank;
  double s = 0;
  double q = 1, q2 = 1;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    big += 7;
    v += 1;
    z *= 1.5;
    q *= 2;
    q2 *= 2;
    *pb += ((unsigned __int128)1 << 80);
    s += (double)(big >> 90) + v[3] + (double)__real__ z + (double)q + (double)(*pb >> 70) + (double)q2;
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
