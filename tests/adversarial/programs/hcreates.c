/* The C library's only hash table, and one of the program's. */
#define _GNU_SOURCE
#include <search.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  static double values[20];
  static char keys[20][8];
  int missing = 0;
  hcreate(64);
  for (int i = 0; i < 20; i++) {
    snprintf(keys[i], sizeof keys[i], "key%d", i);
    values[i] = i + rank;
    hsearch((ENTRY){keys[i], &values[i]}, ENTER);
  }
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    const ENTRY* found = hsearch((ENTRY){keys[2 * it], NULL}, FIND);
    if (found != NULL) sum += *(double*)found->data;
    missing += found == NULL;
  }
  hdestroy();
  printf("%d %g missing %d\n", rank, sum, missing);
  MPI_Finalize();
  return 0;
}
