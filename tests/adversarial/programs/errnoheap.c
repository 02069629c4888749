/* The address of errno, in the heap: a thread-local of a library that is not carried. errnop has it on the stack. */
#include <errno.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  int** number = malloc(sizeof *number);
  *number = &errno;
  int right = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    **number = 0;
    if (access("no such file", F_OK) != 0) right += **number == ENOENT && errno == ENOENT;
  }
  printf("%d %d\n", rank, right);
  MPI_Finalize();
  return 0;
}
