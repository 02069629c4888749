/// The functions that make persistent requests.
#include <mpi.h>

#include "mpi/comm_table.hpp"
#include "mpi/requests.hpp"

using namespace cppc::mpi;

#define INIT(name, call_kind, buffer_type)                                                      \
  int name(buffer_type buf, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm, \
           MPI_Request* request) {                                                              \
    if (!comms.managed()) return P##name(buf, count, datatype, peer, tag, comm, request);       \
    const Call call{.buf = const_cast<void*>(buf),                                              \
                    .datatype = datatype,                                                       \
                    .comm = comm,                                                               \
                    .kind = CallKind::call_kind,                                                \
                    .count = count,                                                             \
                    .peer = peer,                                                               \
                    .tag = tag};                                                                \
    return requests().create(call, request);                                                    \
  }

extern "C" {

INIT(MPI_Send_init, send, const void*)
INIT(MPI_Bsend_init, bsend, const void*)
INIT(MPI_Ssend_init, ssend, const void*)
INIT(MPI_Rsend_init, rsend, const void*)
INIT(MPI_Recv_init, recv, void*)

}  // extern "C"
