/* Names of the locale that the C library has given, kept in a variable. */
#include <langinfo.h>
#include <locale.h>

#include "adversarial.h"

static const char *codeset;

int main(int argc, char **argv) {
  start(&argc, &argv);
  setlocale(LC_ALL, "C.UTF-8");
  codeset = nl_langinfo(CODESET);
  const char *volatile day = nl_langinfo(DAY_3);
  for (int it = 0; it < 10; it++) printf("%d %g %s %s\n", rank, gsum(it), codeset, day);
  MPI_Finalize();
  return 0;
}
