/* As a profiling tool that finds MPI's functions in a way of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

static long barriers;

int MPI_Barrier(MPI_Comm comm) {
  __typeof__(&MPI_Barrier) next;
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Barrier");
  ++barriers;
  return next(comm);
}
