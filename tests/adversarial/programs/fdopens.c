/* Streams and positions that share a file: dup(), fdopen(), append, pread(), close-on-exec. */
#include <fcntl.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[32], text[8] = "";
  snprintf(name, sizeof name, "fdopens.%d", rank);
  const int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), twin = dup(file);
  const int end = open(name, O_WRONLY | O_APPEND);
  FILE* stream = fdopen(open(name, O_RDONLY), "r");
  int bad = 0, cloexec = 0;
  for (int it = 0; it < 10; it++) {
    gsum(it);
    bad += write(it % 2 ? file : twin, "ab", 2) != 2; /* the position is one */
    bad += lseek(twin, 0, SEEK_CUR) != lseek(file, 0, SEEK_CUR);
    bad += write(end, "c", 1) != 1;
    lseek(file, 0, SEEK_END);
    bad += pread(file, text, 3, 3 * it) != 3 || strcmp(text, "abc") != 0;
    bad += fgetc(stream) == EOF;
    cloexec += (fcntl(file, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(twin, F_GETFD) & FD_CLOEXEC) == 0;
  }
  printf("%d %d bad, size %ld, %d\n", rank, bad, (long)lseek(file, 0, SEEK_END), cloexec);
  fclose(stream);
  MPI_Finalize();
  return 0;
}
