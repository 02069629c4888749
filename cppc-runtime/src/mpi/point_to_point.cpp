/// Point-to-point functions that are no single send or receive from a communicator.
#include <mpi.h>

#include "mpi/comm_table.hpp"
#include "mpi/traffic.hpp"

using namespace cppc::mpi;

extern "C" {

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return traffic.exchanged(PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                         source, recvtag, comms.real(comm, __func__), status),
                           dest, source);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm comm, MPI_Status* status) {
  return traffic.exchanged(
      PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comms.real(comm, __func__), status),
      dest, source);
}

// A message that MPI_Mprobe has matched counts as received once its receive has started.

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  const int source = *message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_ANY_SOURCE;
  return traffic.received(PMPI_Mrecv(buf, count, datatype, message, status), source);
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  const int source = *message == MPI_MESSAGE_NO_PROC ? MPI_PROC_NULL : MPI_ANY_SOURCE;
  return traffic.started(traffic.received(PMPI_Imrecv(buf, count, datatype, message, request), source), request);
}

}  // extern "C"
