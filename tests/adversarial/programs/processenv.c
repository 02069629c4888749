/* Variables that a process gets from who starts it have the same place after each move, if that has room for them. */
#include "adversarial.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  const char* const first = getenv("OMPI_COMM_WORLD_SIZE");
  if (first == NULL) return 1;
  for (int it = 0; it < 12; it++) {
    const char* const now = getenv("OMPI_COMM_WORLD_SIZE");
    printf("%d %d %g %s\n", rank, it, gsum(it), now == first ? "same place" : "another place");
  }
  MPI_Finalize();
  return 0;
}
