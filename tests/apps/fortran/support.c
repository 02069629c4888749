/* What Fortran cannot call in result.h: communicators are C's there, and reasons printf-like. */
#include <mpi.h>

#include "../result.h"

uint64_t app_digest_ranks(uint64_t own, MPI_Fint communicator) { return digest_ranks(own, MPI_Comm_f2c(communicator)); }

int app_tell(const char* program, uint64_t checksum, int right, const char* reason) {
  return tell(program, checksum, right != 0, "%s", reason);
}
