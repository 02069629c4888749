#include "adversarial.h"
static void say(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
}
int main(int argc, char **argv) {
  start(&argc, &argv);
  char label[32];
  snprintf(label, sizeof label, "run-%d-%d", rank, size);
  char *name = malloc(16);
  strcpy(name, "abc");
  for (int it = 0; it < 10; it++) {
    double s = gsum(it);
    say("rank %d step %d %s %s %g\n", rank, it, label, name, s);
  }
  MPI_Finalize();
  return 0;
}
