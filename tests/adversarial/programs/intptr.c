/* Whole numbers in pointers. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  void* number = (void*)(intptr_t)(100000 + rank);
  void* table[3] = {(void*)7, (void*)(intptr_t)-1, (void*)(intptr_t)0x123456789abc};
  long sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += (intptr_t)number + (intptr_t)table[it % 3];
    number = (void*)((intptr_t)number + 1);
  }
  printf("%d %ld\n", rank, sum);
  MPI_Finalize();
  return 0;
}
