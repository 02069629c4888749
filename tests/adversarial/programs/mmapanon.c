/* Anonymous memory that the program maps itself, with a page that nobody may touch. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  const size_t length = 1 << 20;
  double* memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const size_t count = length / sizeof *memory;
  char* guarded = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(guarded + 4096, 4096, PROT_NONE);
  for (size_t i = 0; i < count; i++) memory[i] = (double)i + rank;
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    for (size_t i = 0; i < count; i += 100) sum += memory[i]++;
    guarded[it]++;
    if (it == 5) memory = mremap(memory, length, 2 * length, MREMAP_MAYMOVE);
  }
  sum += guarded[9];
  munmap(memory, 2 * length);
  printf("%d %.12g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
