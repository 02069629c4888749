// What strtok_r() returns is a place in the string that it was given in an earlier call.
#include "adversarial.h"
static char line[1 << 20];
static double next(char **rest) {
  const char *t = strtok_r(NULL, ",", rest);
  return t ? atof(t) : 0;
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  sprintf(line, "10,20,30,40,5%d,60,70,80,90,100", rank);
  char *rest;
  double s = atof(strtok_r(line, ",", &rest));
  for (int i = 0; i < 9; ++i) s += gsum(next(&rest));
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
