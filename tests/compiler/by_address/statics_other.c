#include "statics.h"

enum { N = 8192 };

static double only_first[N]; /* read before the loop only */
static double always[N];
double with_a_name[N]; /* as only_first, and others could name it */

void fill_outside(void) {
  for (int i = 0; i < N; i++) only_first[i] = always[i] = with_a_name[i] = i;
}

double first_outside(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += only_first[i] + with_a_name[i];
  return sum;
}

double work_outside(int step) { return always[step]; }
