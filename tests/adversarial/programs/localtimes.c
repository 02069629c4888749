/* A pointer into the C library's own memory. */
#include <time.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  const time_t then = 86400L * (365 + rank);
  const struct tm* time = gmtime(&then);
  int sum = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    sum += time->tm_year + time->tm_mday;
  }
  printf("%d %d\n", rank, sum);
  MPI_Finalize();
  return 0;
}
