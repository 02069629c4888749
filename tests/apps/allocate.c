#include "allocate.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void* allocate(size_t count, size_t size) {
  void* block = malloc(count > 0 ? count * size : 1);
  if (block == NULL) {
    fprintf(stderr, "cannot allocate %zu elements of %zu bytes; give the problem more ranks or less size\n", count, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return block;
}
