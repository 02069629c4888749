/* Address space that is only kept free, 4 TiB of it, of which a few pages are used. */
#include <sys/mman.h>

#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const size_t bytes = (size_t)1 << 42, step = bytes / 16;
  char* const area = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) return 1;
  for (size_t it = 0; it < 12; it++) {
    mprotect(area + it * step, 4096, PROT_READ | PROT_WRITE);
    area[it * step + it] = (char)(it + 1);
    const double sum = gsum((double)it);
    int all = 0;
    for (size_t i = 0; i <= it; i++) all += area[i * step + i];
    printf("%d %zu %g %d\n", rank, it, sum, all);
  }
  munmap(area, bytes);
  MPI_Finalize();
  return 0;
}
