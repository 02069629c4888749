/* A stop between calls that go from one entry of /etc/shells to the next. */
#include "adversarial.h"
#include <unistd.h>

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int it = 0; it < 12; it++) {
    const char* shell = getusershell();
    const double sum = gsum(it);
    if (shell == NULL) setusershell();
    printf("%d %d %g %s\n", rank, it, sum, shell != NULL ? shell : "end");
  }
  endusershell();
  MPI_Finalize();
  return 0;
}
