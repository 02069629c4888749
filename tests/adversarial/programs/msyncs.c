#define _GNU_SOURCE
#include "adversarial.h"
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[64];
  sprintf(name, "map%d", rank);
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  ftruncate(fd, 8192);
  int* p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  int* priv = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  close(fd);
  for (int i = 0; i < 12; ++i) {
    p[i] = i * 3;
    priv[1024 + i] = i + 7;
    gsum(i);
    msync(p, 8192, MS_SYNC);
    madvise(p, 8192, MADV_WILLNEED);
    FILE* f = fopen(name, "rb");
    int got[12];
    size_t r = fread(got, 4, 12, f);
    fclose(f);
    printf("%d %d %d %d %zu %d\n", rank, i, got[i], priv[1024 + i], r, 0);
  }
  unlink(name);
  MPI_Finalize();
  return 0;
}
