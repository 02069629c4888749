/* A program that keeps the address of its environment, puts another one in its place, and comes back. */
#include "adversarial.h"

extern char** environ;
static char** kept;

int main(int argc, char** argv) {
  static char* own[] = {"STEP=own", NULL};
  start(&argc, &argv);
  setenv("STEP", "first", 1);
  kept = environ;
  for (int it = 0; it < 12; it++) {
    const double sum = gsum(it);
    environ = it % 3 == 1 ? own : kept;
    const char* const step = getenv("STEP");
    environ = kept;
    printf("%d %d %g %s %s %s\n", rank, it, sum, step ? step : "none", getenv("STEP"), getenv("ADV"));
  }
  MPI_Finalize();
  return 0;
}
