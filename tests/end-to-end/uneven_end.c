/* The ranks of the lower half have nothing to do, and are in MPI_Finalize at once; the others work together until the
 * file FILE is there. After MPI_Finalize each says whether it still has its numbers. Usage: uneven_end FILE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { numbers = 100000 };

int main(int argc, char** argv) {
  int rank, size, over = argc < 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
  int* mine = malloc(numbers * sizeof *mine);
  for (int i = 0; i < numbers; ++i) mine[i] = rank + i;
  while (rank >= size / 2 && !over) {
    usleep(1000);
    over = access(argv[1], F_OK) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MAX, half);
  }
  MPI_Finalize();
  int right = 0;
  for (int i = 0; i < numbers; ++i) right += mine[i] == rank + i;
  printf("rank %d: %d right\n", rank, right);
  return 0;
}
