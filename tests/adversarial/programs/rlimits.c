/* Limits of the process. */
#include <sys/resource.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  struct rlimit limit;
  int kept = 0;
  getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 200 + (rlim_t)rank;
  setrlimit(RLIMIT_NOFILE, &limit);
  for (int it = 0; it < 10; it++) {
    gsum(it);
    getrlimit(RLIMIT_NOFILE, &limit);
    kept += limit.rlim_cur == 200 + (rlim_t)rank;
  }
  printf("%d %d\n", rank, kept);
  MPI_Finalize();
  return 0;
}
