#define _GNU_SOURCE
#include "adversarial.h"
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char** argv) {
  start(&argc, &argv);
  FILE* f = tmpfile();
  char n[] = "tmpXXXXXX";
  int fd = mkstemp(n), d = dup(fd);
  unlink(n);
  int t = open(".", O_TMPFILE | O_RDWR | O_APPEND | O_NOFOLLOW, 0640);
  for (int i = 0; i < 12; ++i) {
    fprintf(f, "line %d\n", i);
    write(i % 2 ? fd : d, &i, sizeof i);
    write(t, "abc", 3);
    gsum(i);
    long at = ftell(f);
    rewind(f);
    char b[64];
    fgets(b, 64, f);
    fseek(f, at, SEEK_SET);
    int v[12] = {0};
    pread(fd, v, sizeof v, 0);
    printf("%d %d %ld %s %d %d %d\n", rank, i, at, b, v[i], (int)lseek(d, 0, SEEK_CUR), (int)lseek(t, 0, SEEK_END));
  }
  MPI_Finalize();
  return 0;
}
