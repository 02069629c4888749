#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  FILE *p = popen("seq 1 10", "r");
  char l[32];
  while (fgets(l, 32, p)) s += gsum(atof(l));
  pclose(p);
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
