/* What its constructor leaves leads to a variable that is gone, as where a structure is copied whose members are not all
   set. */
#include <stdlib.h>
static void **left;
static void *gone;
__attribute__((constructor, noinline)) static void starts(void) {
  char local[64] __attribute__((aligned(16)));
  __asm__ volatile("" : : "r"(local) : "memory");
  left = malloc(4 * sizeof *left);
  for (int i = 0; i < 4; i++) left[i] = local;
  gone = local;
}
int started(void) { return left[3] == gone; }
