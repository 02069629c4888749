/* What is called through a pointer that code outside the program has made may read and change all that it is given. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef void *(*copier)(void *to, const void *from, size_t bytes);

static long table[16];

static copier find_copier(void) {
  void *const found = dlsym(RTLD_DEFAULT, "memmove");
  copier copy;
  memcpy(&copy, &found, sizeof copy);
  return copy;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 16; i++) table[i] = 3 * i + argc;
  long sum = 0;
#pragma cppc checkpoint
  for (int step = 0; step < 12; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const copier copy = find_copier();
    long here = 0;
    copy(&here, &table[step], sizeof here);
    sum += here;
  }
  printf("%ld\n", sum);
  MPI_Finalize();
}
