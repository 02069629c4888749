/* Memory that assembly reads and writes. */
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  long values[4] = {rank, 2, 3, 4}, *heap = malloc(sizeof *heap), sum = 0;
  *heap = 5;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    long copy;
    __asm__ volatile("movq (%1), %0\n\tincq (%1)" : "=&r"(copy) : "r"(&values[it % 4]) : "memory", "cc");
    __asm__ volatile("addq %1, %0" : "+m"(*heap) : "r"(copy) : "cc");
    sum += copy + *heap;
  }
  printf("%d %ld\n", rank, sum);
  MPI_Finalize();
  return 0;
}
