#define _GNU_SOURCE
#include "adversarial.h"
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  int fd = -1;
  if (rank == 0) fd = open("common", O_RDWR | O_CREAT | O_EXCL, 0600);
  gsum(0);
  if (rank != 0) fd = open("common", O_RDWR);
  gsum(0);
  if (rank == 0) unlink("common");
  for (int i = 0; i < 12; ++i) {
    pwrite(fd, &i, sizeof i, rank * sizeof i);
    gsum(i);
    int v = 0;
    pread(fd, &v, sizeof v, (1 - rank) * sizeof i);
    gsum(i);
    printf("%d %d %d\n", rank, i, v);
  }
  MPI_Finalize();
  return 0;
}
