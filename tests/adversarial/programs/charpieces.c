/* A character of several bytes, and one of two units, whose pieces come on both sides of a stop. */
#include "adversarial.h"
#include <locale.h>
#include <uchar.h>
#include <wchar.h>

int main(int argc, char** argv) {
  static const char text[] = "h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
  start(&argc, &argv);
  setlocale(LC_CTYPE, "C.UTF-8");
  for (int it = 0; it < 12; it++) {
    wchar_t letter = 0;
    char16_t unit = 0;
    const long in_wide = mbrtowc(&letter, text + it, 1, NULL), length = mbrlen(text + it, 1, NULL);
    const long in_units = mbrtoc16(&unit, text + it, 1, NULL);
    const double sum = gsum(it);
    printf("%d %d %g %ld %lx %ld %ld %x\n", rank, it, sum, in_wide, (unsigned long)letter, length, in_units, unit);
  }
  MPI_Finalize();
  return 0;
}
