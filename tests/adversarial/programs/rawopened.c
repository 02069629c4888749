// FLAGS -O2 -D_GNU_SOURCE
/* A file that the program opens by a system call of its own, past the C library. */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[32];
  snprintf(name, sizeof name, "raw%d", rank);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_TRUNC | O_RDWR, 0600);
  for (int it = 0; it < 10; it++) {
    gsum(it);
    if (write(file, "step", 4) != 4) perror("write");
  }
  printf("%d %ld\n", rank, (long)lseek(file, 0, SEEK_END));
  close(file);
  MPI_Finalize();
  return 0;
}
