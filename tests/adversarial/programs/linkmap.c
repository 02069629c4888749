// FLAGS -ldl
// An address within what the dynamic linker knows of a library, as its functions leave it on the stack and a library
// copies it from there with a structure that it does not set all of.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct copied {
  char* left;
  int used;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct copied* copied = malloc(sizeof *copied);
  void* const library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
  copied->left = (char*)library + 920;
  copied->used = rank;
  for (int i = 1; i <= 12; ++i) {
    double a = i, sum;
    MPI_Allreduce(&a, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    copied->used += (int)sum;
    printf("%d %d %d\n", rank, i, copied->used);
  }
  MPI_Finalize();
}
