/* A window whose memory MPI allocates, where the program has used and freed much memory before. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  unsigned char* memory = NULL;
  int rank = 0, used = 0, all = 0;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t size = 8; size < 4000000; size += 8 + size / 4) {
    char* block = malloc(size);
    memset(block, 0xab, size);
    if (block[size / 2] == 0) return 1;
    free(block);
  }
  MPI_Win_allocate(1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < 1000; i++) used += memory[i] != 0;
  MPI_Reduce(&used, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d bytes are not zero\n", all);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
