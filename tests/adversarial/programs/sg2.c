#include <unistd.h>

#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  double s = 0;
  int verbose = 0, c;
  while ((c = getopt(argc, argv, "vn:")) != -1)
    if (c == 'v') verbose++;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    if (optind < argc) s += atof(argv[optind]);
    s += verbose;
  }
  printf("%d %.12g\n", rank, s);
  MPI_Finalize();
  return 0;
}
