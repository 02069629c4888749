/* The process's number among numbers of the program's, which look like locks that the main thread has. */
#include <unistd.h>

#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int number = getpid();
  const int64_t wide[] = {3, 5, 0, number, 7, 0, 1};
  const int32_t narrow[] = {1, 0, number, 1, 2, 0, 0, 0, 0, 0}, robust[] = {number, 0, number, 1, 16, 0, 1, 1, 1, 1};
  int64_t* const blocks = malloc(sizeof wide);
  int32_t* const cells = malloc(sizeof narrow);
  int32_t* const others = malloc(sizeof robust);
  memcpy(blocks, wide, sizeof wide);
  memcpy(cells, narrow, sizeof narrow);
  memcpy(others, robust, sizeof robust);
  for (int it = 0; it < 10; it++)
    printf("%d %d %g %d %d %d\n", rank, it, gsum(it), memcmp(blocks, wide, sizeof wide) == 0 && blocks[3] == number,
           cells[2] == number, others[0] == number && others[2] == number);
  MPI_Finalize();
  return 0;
}
