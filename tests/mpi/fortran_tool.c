/* As a profiling tool for programs in Fortran. */
void pmpi_barrier_(int* comm, int* error);

static long barriers;

__attribute__((visibility("default"))) void mpi_barrier_(int* comm, int* error) {
  ++barriers;
  pmpi_barrier_(comm, error);
}
