/* A library that the translator does not see. */
#include "library.h"

#include <stdlib.h>

static long kept;

void library_keep(long number) { kept = number; }
library_number library_status(void) { return kept != 0 ? 3 : 0; }

double* library_block(void) {
  double* const block = malloc(sizeof *block);
  if (block != NULL) *block = 2.5;
  return block;
}
