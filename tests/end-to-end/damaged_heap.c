/* Writes to memory that it has freed, and goes on allocating: ends by a signal, which MPI's handler tells of. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (size_t bytes = 16; bytes <= 256; bytes += 16) {
    char* volatile block = malloc(bytes);
    free(block);
    memset((char*)block, 0x5a, bytes);
  }
  for (int i = 0; i < 1000; i++) {
    char* volatile block = malloc(16 * (1 + (size_t)i % 16));
    *block = 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
