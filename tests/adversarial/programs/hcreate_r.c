/* A hash table of the C library in memory of the program, and a tree. */
#define _GNU_SOURCE
#include <search.h>

#include "adversarial.h"
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int main(int argc, char** argv) {
  start(&argc, &argv);
  static int values[20];
  static char keys[20][8];
  struct hsearch_data table = {0};
  void* root = NULL;
  int missing = 0, sum = 0;
  ENTRY* found;
  hcreate_r(64, &table);
  for (int i = 0; i < 20; i++) {
    snprintf(keys[i], sizeof keys[i], "key%d", i);
    values[i] = i + rank;
    hsearch_r((ENTRY){keys[i], &values[i]}, ENTER, &found, &table);
    tsearch(&values[i], &root, compare);
  }
  for (int it = 0; it < 10; it++) {
    gsum(it);
    missing += hsearch_r((ENTRY){keys[it], NULL}, FIND, &found, &table) == 0;
    int** node = tfind(&values[it], &root, compare);
    sum += *(int*)found->data + (node != NULL ? **node : 1000);
    tdelete(&values[19 - it], &root, compare);
    if (it == 9) break;
    tsearch(&values[19 - it], &root, compare);
  }
  printf("%d %d missing %d\n", rank, sum, missing);
  MPI_Finalize();
  return 0;
}
