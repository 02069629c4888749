/* A program that is written to through a pipe. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  FILE* pipe = popen("wc -l", "w");
  for (int it = 0; it < 10; it++) fprintf(pipe, "%g\n", gsum(it));
  fflush(stdout);
  printf("%d %d\n", rank, pclose(pipe));
  MPI_Finalize();
  return 0;
}
