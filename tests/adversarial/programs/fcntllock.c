#define _GNU_SOURCE
#include "adversarial.h"
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  int fd = open("shared", O_RDWR | O_CREAT, 0600);
  struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank * 10, .l_len = 10};
  int got = fcntl(fd, F_SETLK, &l);
  for (int i = 0; i < 12; ++i) {
    gsum(i);
    struct flock t = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (1 - rank) * 10, .l_len = 10};
    fcntl(fd, F_GETLK, &t); /* the other's */
    printf("%d %d %d %d\n", rank, i, got, t.l_type == F_WRLCK);
    gsum(1);
  }
  MPI_Finalize();
  return 0;
}
