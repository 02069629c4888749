#include "adversarial.h"
static int run(const unsigned char *p) {
  static const void *const tab[] = {&&inc, &&dbl, &&end};
  int a = 1;
  goto *tab[*p++];
inc:
  a++;
  goto *tab[*p++];
dbl:
  a *= 2;
  goto *tab[*p++];
end:
  return a;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  const unsigned char c[] = {0, 1, 1, 2};
  double s = 0;
  for (int it = 0; it < 10; it++) s += gsum(it) + run(c);
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
