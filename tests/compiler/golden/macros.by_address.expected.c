#line 1 "macros.c"
/* Macros of the program may have any name. */
#include <mpi.h>
#include <stdio.h>

#define size 10
#define bytes(x) (x)
#define address a[0]
#define name site


#include <cppc/safe_points.h>
#line 10
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double a[size], scratch[size], sum = 0;
  for (int i = 0; i < size; ++i) a[i] = bytes(i);
  for (int step = 0; step < 100; ++step) { if (cppc_safe_point(1)) { cppc_stop_here(); } 
    double all, mine = 0;
    for (int i = 0; i < size; ++i) scratch[i] = a[i] * 1.01;
    for (int i = 0; i < size; ++i) mine += a[i] = scratch[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum += all + address;
  }
  printf("%g\n", sum);
  MPI_Finalize();
  return 0;
}

