// Open MPI's predefined objects, whose addresses are the program's handles, with MPICH's handles in them.
#include <mpi.h>

#include "mpich.h"

#define OBJECT(name, size, value)                \
  __attribute__((visibility("default"))) union { \
    int handle;                                  \
    char whole[size];                            \
  } name = {.handle = (int)(value)};

#include "objects.inc"
