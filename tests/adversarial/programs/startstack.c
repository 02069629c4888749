/* A library whose constructor leaves addresses of the stack behind. */
#include "adversarial.h"
int started(void);
int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int it = 0; it < 10; it++) printf("%d %g %d\n", rank, gsum(it), started());
  MPI_Finalize();
  return 0;
}
