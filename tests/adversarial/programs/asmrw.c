#include "adversarial.h"
static inline void keep(void *p) { __asm__ volatile("" : "+r"(p) : : "memory"); }
int main(int argc, char **argv) {
  start(&argc, &argv);
  unsigned long a = 7 + rank, b = 3, m = 11 + rank;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    __asm__ volatile("addq $5, %0" : "+r"(a));
    __asm__ volatile("addq %1, %0" : "=r"(b) : "r"(b), "0"(a));
    __asm__ volatile("incq %0" : "+m"(m));
    keep(&a);
  }
  unsigned long mm;
  __asm__("movq %1, %0" : "=r"(mm) : "m"(m));
  printf("%d %lu %lu %lu\n", rank, a, b, mm);
  MPI_Finalize();
  return 0;
}
