#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  char line[96];
  sprintf(line, "10,20,30,40,5%d,60,70,80,90,100", rank);
  double s = 0;
  for (char *t = strtok(line, ","); t; t = strtok(NULL, ",")) s += gsum(atof(t));
  printf("%d %g\n", rank, s);
  MPI_Finalize();
  return 0;
}
