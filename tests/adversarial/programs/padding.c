// Numbers that lead to the pages of the program, but behind its segments; one of them in memory of the heap.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern char etext, end;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static unsigned long behind_data;
  behind_data = (unsigned long)&end + 16;
  unsigned long* behind_code = malloc(sizeof *behind_code);
  *behind_code = (unsigned long)&etext + 16;
  for (int step = 0; step < 10; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      printf("%d %lu %lu\n", step, behind_data - (unsigned long)&end, *behind_code - (unsigned long)&etext);
  }
  free(behind_code);
  MPI_Finalize();
  return 0;
}
