/* A hash table with addresses as keys. */
#include "adversarial.h"
struct slot {
  const void* key;
  double value;
};
static struct slot table[64];
static size_t hash(const void* key) { return (uintptr_t)key / 16 * UINT64_C(0x9e3779b97f4a7c15) >> 58; }
static struct slot* find(const void* key) {
  size_t i = hash(key);
  while (table[i].key != NULL && table[i].key != key) i = (i + 1) % 64;
  return &table[i];
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  double* objects[20];
  for (int i = 0; i < 20; i++) {
    objects[i] = malloc(sizeof(double) * (1 + (size_t)(i % 5)));
    *find(objects[i]) = (struct slot){objects[i], i + rank};
  }
  double sum = 0;
  int missing = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (int i = 0; i < 20; i++) missing += find(objects[i])->key == NULL, sum += find(objects[i])->value;
  }
  printf("%d %g missing %d\n", rank, sum, missing);
  MPI_Finalize();
  return 0;
}
