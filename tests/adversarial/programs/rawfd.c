#include <fcntl.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  char nm[32];
  sprintf(nm, "raw.%s.%d", argv[0] + 2, rank);
  int fd = open(nm, O_RDWR | O_CREAT | O_TRUNC, 0600);
  long bad = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    char l[32];
    int n = sprintf(l, "step %d\n", it);
    if (write(fd, l, n) != n) bad++;
  }
  long sz = lseek(fd, 0, SEEK_CUR);
  close(fd);
  printf("%d %ld bad %ld\n", rank, sz, bad);
  MPI_Finalize();
  return 0;
}
