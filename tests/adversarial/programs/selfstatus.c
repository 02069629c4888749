/* A file in which the kernel tells of the process is held open and read again and again. */
#include <fcntl.h>
#include <unistd.h>

#include "adversarial.h"
static long memory_now(FILE* status) {
  char line[256];
  long kilobytes = 0;
  rewind(status);
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) break;
  return kilobytes;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  FILE* status = fopen("/proc/self/status", "r");
  char name[64];
  sprintf(name, "/proc/%d/statm", (int)getpid());
  const int statm = open(name, O_RDONLY);
  for (int it = 0; it < 10; it++) {
    gsum(it);
    char pages[64] = "";
    const long bytes = pread(statm, pages, sizeof pages - 1, 0);
    printf("%d %d %d %d\n", rank, it, memory_now(status) > 0, bytes > 0 && atol(pages) > 0);
  }
  MPI_Finalize();
  return 0;
}
