#undef OMPI_SKIP_MPICXX
#include <mpi.h>

int main() { return MPI::Is_initialized() ? 1 : 0; }
