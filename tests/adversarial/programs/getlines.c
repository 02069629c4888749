/* A buffer that getline() makes and enlarges. */
#define _GNU_SOURCE
#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[32], *line = NULL;
  size_t room = 0;
  long sum = 0;
  snprintf(name, sizeof name, "getlines.%d", rank);
  FILE* file = fopen(name, "w+");
  for (int i = 0; i < 10; i++) fprintf(file, "%0*d\n", 1 + i * 40, i);
  rewind(file);
  for (int it = 0; it < 10; it++) {
    const ssize_t length = getline(&line, &room, file);
    gsum(it);
    sum += length + line[length - 2];
  }
  printf("%d %ld %d\n", rank, sum, room > 300);
  free(line);
  fclose(file);
  MPI_Finalize();
  return 0;
}
