/* Conversions of printf() of the program's own. */
#include <printf.h>
#include <wchar.h>

#include "adversarial.h"
static int convert(FILE* stream, const struct printf_info* info, const void* const* arguments) {
  (void)info;
  return fprintf(stream, "<%d>", **(const int* const*)arguments[0]);
}
static int take(const struct printf_info* info, size_t n, int* types, int* sizes) {
  (void)info;
  if (n > 0) types[0] = PA_POINTER, sizes[0] = sizeof(int*);
  return 1;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  register_printf_specifier('W', convert, take);
  int modifier = register_printf_modifier(L"Y");
  for (int it = 0; it < 10; it++) {
    int sum = (int)gsum(it);
    printf("%d %W %d\n", rank, &sum, modifier);
  }
  MPI_Finalize();
  return 0;
}
