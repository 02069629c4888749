#define _GNU_SOURCE
#include "adversarial.h"
#include <sys/mman.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  size_t n = 1 << 16;
  double* p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* guard = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 12; ++i) {
    p[n / 8 - 1] = i + rank;
    gsum(i);
    size_t m = n + 65536;
    p = mremap(p, n, m, MREMAP_MAYMOVE);
    printf("%d %d %g %d\n", rank, i, p[n / 8 - 1], guard != MAP_FAILED);
    n = m;
    if (i == 6) mprotect(guard, 4096, PROT_READ | PROT_WRITE);
    if (i > 6) {
      guard[0]++;
      printf("%d %d\n", rank, guard[0]);
    }
  }
  munmap(p, n);
  MPI_Finalize();
  return 0;
}
