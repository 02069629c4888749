/* Whole numbers in pointers. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

static void* table[3];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* number = (void*)(intptr_t)100000;
  table[0] = (void*)7;
  table[1] = (void*)(intptr_t)-1;
  table[2] = (void*)(intptr_t)0x123456789abc;
  long sum = 0, all = 0;
  for (int step = 0; step < 12; step++) {
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_SELF);
    sum += (intptr_t)number + (intptr_t)table[step % 3];
    number = (void*)((intptr_t)number + 1);
  }
  printf("%ld %ld\n", sum, all);
  MPI_Finalize();
  return 0;
}
