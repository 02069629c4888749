#include "adversarial.h"
/* one-line prior art: calls with user memory through MPI_BOTTOM-free code, plus GNU builtins that read memory */
static char src[64];
static double vals[8];
int main(int argc, char **argv) {
  start(&argc, &argv);
  sprintf(src, "rank %d text", rank);
  for (int i = 0; i < 8; i++) vals[i] = i + rank;
  double s = 0;
  char *h = malloc(32);
  strcpy(h, "heap text");
  h[0] += rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    s += __builtin_strlen(src) + __builtin_memcmp(h, "heap", 4);
    double t[8];
    __builtin_memcpy(t, vals, sizeof t);
    s += t[it % 8];
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
