#include <unistd.h>

#include "adversarial.h"
/* much is done before MPI_Init */
static int boots;
static double *table;
static FILE *lg;
static char cfg[64];
static int nopt;
static void setup(int argc, char **argv) {
  boots++;
  table = malloc(80);
  for (int i = 0; i < 10; i++) table[i] = i * 1.5;
  lg = fopen("pre.log", "a");
  fprintf(lg, "boot\n");
  fflush(lg);
  snprintf(cfg, 64, "pid");
  printf("starting\n");
  fflush(stdout);
  int c;
  while ((c = getopt(argc, argv, "ab:")) != -1) nopt++;
}
int main(int argc, char **argv) {
  unlink("pre.log.x");
  int local = 5;
  setup(argc, argv);
  double *mine = malloc(8);
  *mine = 3;
  start(&argc, &argv);
  double s = 0;
  *mine += rank;
  table[2] += rank;
  for (int it = 0; it < 10; it++) {
    s += gsum(it) + table[it] + *mine + local;
    *mine += 1;
    fprintf(lg, "it\n");
  }
  printf("%d %g boots %d %s %d\n", rank, s, boots, cfg, nopt);
  MPI_Finalize();
  return 0;
}
