/* The locale: where numbers are printed and read, and how letters are told. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* set = setlocale(LC_ALL, "C.UTF-8");
  int wide = 0;
  wchar_t letter;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    wide += mbtowc(&letter, "\xc3\xa4", 2) == 2 && letter == 0xe4 && isalpha('a') && MB_CUR_MAX == 6;
  }
  printf("%d %s %s %d\n", rank, set, setlocale(LC_CTYPE, NULL), wide);
  MPI_Finalize();
  return 0;
}
