/// Functions of mpif.h that start or complete several requests: lists of handles and statuses, and indices that count
/// from 1.
#include <mpi.h>

#include "mpi/fortran_arguments.hpp"
#include "mpi/fortran_spellings.hpp"
#include "mpi/turns.hpp"

namespace {

using cppc::mpi::Entry;
using cppc::mpi::fortran::Handles;
using cppc::mpi::fortran::Statuses;

/// An index of a list, which counts from 1.
void count_from_1(int* index) {
  if (*index >= 0) ++*index;  // MPI_UNDEFINED is below
}

void count_from_1(int* indices, int count) {
  for (int i = 0; i < count; ++i) count_from_1(&indices[i]);
}

/// `call(requests, statuses)` completes some of `count` requests; there are `statuses_count` statuses.
template <class Call>
void complete(int count, void* requests, void* statuses, int statuses_count, MPI_Fint* error, Call call) {
  Handles<MPI_Request> all(requests, count);
  Statuses ended(statuses, statuses_count);
  *error = call(all.get(), ended.get());
  all.finish();
  ended.finish();
}

bool some_completed(int error) { return error == MPI_SUCCESS || error == MPI_ERR_IN_STATUS; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void mpi_startall_(const MPI_Fint* count, void* requests, MPI_Fint* error) {
  const Entry entry;
  Handles<MPI_Request> all(requests, *count);
  *error = MPI_Startall(*count, all.get());
  all.finish();
}

void mpi_waitall_(const MPI_Fint* count, void* requests, void* statuses, MPI_Fint* error) {
  const Entry entry;
  complete(*count, requests, statuses, *count, error,
           [&](MPI_Request* all, MPI_Status* their_statuses) { return MPI_Waitall(*count, all, their_statuses); });
}

void mpi_testall_(const MPI_Fint* count, void* requests, MPI_Fint* flag, void* statuses, MPI_Fint* error) {
  const Entry entry;
  complete(*count, requests, statuses, *count, error, [&](MPI_Request* all, MPI_Status* their_statuses) {
    return MPI_Testall(*count, all, flag, their_statuses);
  });
}

void mpi_waitany_(const MPI_Fint* count, void* requests, MPI_Fint* index, void* status, MPI_Fint* error) {
  const Entry entry;
  complete(*count, requests, status, 1, error, [&](MPI_Request* all, MPI_Status* their_statuses) {
    return MPI_Waitany(*count, all, index, their_statuses);
  });
  if (*error == MPI_SUCCESS) count_from_1(index);
}

void mpi_testany_(const MPI_Fint* count, void* requests, MPI_Fint* index, MPI_Fint* flag, void* status,
                  MPI_Fint* error) {
  const Entry entry;
  complete(*count, requests, status, 1, error, [&](MPI_Request* all, MPI_Status* their_statuses) {
    return MPI_Testany(*count, all, index, flag, their_statuses);
  });
  if (*error == MPI_SUCCESS) count_from_1(index);
}

void mpi_waitsome_(const MPI_Fint* count, void* requests, MPI_Fint* completed, MPI_Fint* indices, void* statuses,
                   MPI_Fint* error) {
  const Entry entry;
  complete(*count, requests, statuses, *count, error, [&](MPI_Request* all, MPI_Status* their_statuses) {
    return MPI_Waitsome(*count, all, completed, indices, their_statuses);
  });
  if (some_completed(*error)) count_from_1(indices, *completed);
}

void mpi_testsome_(const MPI_Fint* count, void* requests, MPI_Fint* completed, MPI_Fint* indices, void* statuses,
                   MPI_Fint* error) {
  const Entry entry;
  complete(*count, requests, statuses, *count, error, [&](MPI_Request* all, MPI_Status* their_statuses) {
    return MPI_Testsome(*count, all, completed, indices, their_statuses);
  });
  if (some_completed(*error)) count_from_1(indices, *completed);
}

#define FORTRAN(c, lower, upper, ...)
#define FORTRAN_TEXT FORTRAN
#define FORTRAN_REFUSED FORTRAN
#define FORTRAN_OWN FORTRAN
#define FORTRAN_REQUESTS(c, lower, upper) CPPC_FORTRAN_SPELLINGS(lower, upper)
#include "cppc/mpi/fortran.def"

}  // extern "C"
#pragma GCC visibility pop
