/* Gives an address away as a number, and gets a number back: an int is too narrow to hold it. */
#include <mpi.h>
#include <stdio.h>

#include "library.h"

static double value;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  library_keep((long)&value);
  library_number status = library_status();
  for (int step = 0; step < 12; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    value += status;
  }
  printf("%g\n", value);
  MPI_Finalize();
  return 0;
}
