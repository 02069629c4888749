/* A stream of wide characters in memory, in a locale with a character set of its own. */
#include <locale.h>
#include <wchar.h>

#include "adversarial.h"

int main(int argc, char **argv) {
  start(&argc, &argv);
  setlocale(LC_ALL, "C.UTF-8");
  wchar_t *text;
  size_t length;
  FILE *const stream = open_wmemstream(&text, &length);
  for (int it = 0; it < 10; it++) fwprintf(stream, L"%d %g \u00e9,", rank, gsum(it));
  fclose(stream);
  printf("%d %d %ls\n", rank, (int)length, text);
  MPI_Finalize();
  return 0;
}
