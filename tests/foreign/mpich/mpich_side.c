// Where MPICH's mpi.h is included. No function of MPICH is called here.
#include <mpi.h>
#include <string.h>

#include "mpich.h"

_Static_assert(sizeof(struct cppc_mpich_status) == sizeof(MPI_Status), "MPICH's MPI_Status has another size");

const int cppc_mpich_values[] = {
#define CONSTANT(kind, name) name,
#include "constants.def"
};

void* const cppc_mpich_in_place = MPI_IN_PLACE;
void* const cppc_mpich_status_ignore = MPI_STATUS_IGNORE;
void* const cppc_mpich_statuses_ignore = MPI_STATUSES_IGNORE;

// The count has 63 bits in two members; the lowest bit of the upper one says whether the call was cancelled.

struct cppc_status_parts cppc_mpich_parts(const struct cppc_mpich_status* status) {
  MPI_Status read;
  memcpy(&read, status, sizeof read);
  const unsigned upper = (unsigned)read.count_hi_and_cancelled;
  const struct cppc_status_parts parts = {.source = read.MPI_SOURCE,
                                          .tag = read.MPI_TAG,
                                          .error = read.MPI_ERROR,
                                          .cancelled = (int)(upper & 1),
                                          .bytes = (unsigned long long)(upper >> 1) << 32 | (unsigned)read.count_lo};
  return parts;
}

struct cppc_mpich_status cppc_mpich_status_of(struct cppc_status_parts parts) {
  const unsigned upper = (unsigned)(parts.bytes >> 32) << 1 | (parts.cancelled != 0);
  const MPI_Status written = {.count_lo = (int)(unsigned)parts.bytes,
                              .count_hi_and_cancelled = (int)upper,
                              .MPI_SOURCE = parts.source,
                              .MPI_TAG = parts.tag,
                              .MPI_ERROR = parts.error};
  struct cppc_mpich_status status;
  memcpy(&status, &written, sizeof status);
  return status;
}
