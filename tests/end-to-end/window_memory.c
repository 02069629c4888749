/* Windows whose memory MPI allocates: a small one, where the program has used and freed much memory before, and a large one,
 * of which nobody touches a page. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long pages_in_memory(void) {
  long all = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &all, &resident) != 2) exit(1);
  fclose(file);
  return resident;
}

int main(int argc, char** argv) {
  unsigned char *memory = NULL, *large = NULL;
  const MPI_Aint large_bytes = 64 << 20;
  int rank = 0, used = 0, all = 0, touched = 0;
  MPI_Win window, large_window;
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
  const long before = pages_in_memory();
  MPI_Win_allocate(large_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &large, &large_window);
  used = pages_in_memory() - before > large_bytes / 4096 / 2;
  MPI_Reduce(&used, &touched, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d bytes are not zero, %d large windows are in memory\n", all, touched);
  MPI_Win_free(&large_window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
