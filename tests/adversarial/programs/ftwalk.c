#define _GNU_SOURCE
#include "adversarial.h"
#include <ftw.h>
static int n;
static int visit(const char* p, const struct stat* s, int t, struct FTW* f) {
  (void)s;
  gsum(n);
  if (n < 30) printf("%d %s %d %d\n", rank, p, t, f->level);
  return n++ > 12;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  nftw("/usr/include/linux/netfilter", visit, 8, FTW_PHYS);
  printf("%d\n", n);
  MPI_Finalize();
  return 0;
}
