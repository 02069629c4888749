#define _GNU_SOURCE
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  char *cwd = getcwd(NULL, 0);
  char *rp = realpath("..", NULL);
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    s += cwd[1];
    s += rp[1];
  }
  printf("%d %.12g %s\n", rank, s, cwd);
  free(cwd);
  free(rp);
  MPI_Finalize();
  return 0;
}
