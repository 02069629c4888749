/// Requests that the program gave up with MPI_Request_free, and those it cancelled.
#pragma once

namespace cppc::mpi {

/// Counts detached requests that are complete by now as completed.
void complete_detached();

/// Leaves the detached requests that are still active to MPI, before MPI_Finalize.
void release_detached();

/// True when MPI_Cancel has been called: whether the request was cancelled, and which count then is too high, cannot be
/// told from outside MPI, so one request stays counted as active for good.
bool cancel_called();

}  // namespace cppc::mpi
