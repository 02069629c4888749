/* Standard output led into a file by dup2(), and back. */
#include <fcntl.h>
#include <unistd.h>

#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char name[32], line[64];
  snprintf(name, sizeof name, "dup2t.%d", rank);
  const int kept = dup(1), file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  dup2(file, 1);
  close(file);
  for (int it = 0; it < 10; it++) printf("step %d %g\n", it, gsum(it)), fflush(stdout);
  dup2(kept, 1);
  FILE* again = fopen(name, "r");
  int lines = 0;
  while (fgets(line, sizeof line, again)) lines++;
  printf("%d %d lines\n", rank, lines);
  MPI_Finalize();
  return 0;
}
