/// Calls that wait for messages, as loops which a rank can be stopped in: MPI's own blocking calls cannot be left.
#pragma once

#include <mpi.h>

#include "mpi/call_point.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

/// MPI_Test, which does not look whether the rank is to stop; `lasting`: until it is done or the rank is to stop.
int test(bool lasting, MPI_Request* request, int* done, MPI_Status* status);

/// MPI_Wait, which the rank can be stopped in.
int wait_in_steps(MPI_Request* request, MPI_Status* status);

/// Calls test(&done) until it is done or fails; what it returned. `wait()` is called in between while the extension
/// wants to know, and says for whom.
template <class Test, class Wait>
int repeat(Test test, Wait wait) {
  for (bool waited = false;;) {
    int done = 0;
    const int status = test(&done);
    if (status != MPI_SUCCESS || done != 0) {
      if (waited) [[unlikely]]
        call_point.moved_on();
      return status;
    }
    turns.yield();
    if (call_point.rings()) [[unlikely]] {
      waited = true;
      wait();
    }
  }
}

/// Brings *real, which the program does not see, to its end; it was started as `call` says. Should the rank stop
/// meanwhile, it is one of the program's requests as long as that takes, so that it is drained and goes along.
/// `counted`: what traffic knows of it then; the caller counts it when it returns MPI_SUCCESS with *adopted == false.
template <class Adopt>
int complete_breakably(MPI_Request* real, const Call& call, MPI_Status* status, bool* adopted, Adopt adopt) {
  *adopted = false;
  for (;;) {
    int done = 0;
    const int result = waiting<PMPI_Test>(real, &done, status);
    if (result != MPI_SUCCESS || done != 0) return result;
    turns.yield();
    if (call_point.rings()) [[unlikely]]
      break;
  }
  *adopted = true;
  MPI_Request handle = *real;
  adopt(&handle);
  *real = MPI_REQUEST_NULL;
  return repeat([&](int* done) { return test(true, &handle, done, status); },
                [&] { call_point.wait_for(call.peer, call.comm); });
}

/// MPI_Recv, of what is not in the mailbox.
inline int receive_breakably(const Call& call, MPI_Status* status) {
  MPI_Request real = MPI_REQUEST_NULL;
  const int started = PMPI_Irecv(call.buf, call.count, mpi::real(call.datatype), call.peer, call.tag,
                                 comms.real(call.comm, "MPI_Recv"), &real);
  if (started != MPI_SUCCESS) return started;
  bool adopted = false;
  const int result = complete_breakably(&real, call, status, &adopted, [&](MPI_Request* request) {
    requests().started(traffic.received(MPI_SUCCESS, call.peer), call, request);
  });
  return adopted ? result : traffic.received(result, call.peer);
}

/// MPI_Send, MPI_Ssend, MPI_Rsend and MPI_Bsend: `start` is the non-blocking function of MPI, which did what the
/// blocking one is to do.
template <auto start>
int send_breakably(const Call& call) {
  MPI_Request real = MPI_REQUEST_NULL;
  const int started = start(call.buf, call.count, mpi::real(call.datatype), call.peer, call.tag,
                            comms.real(call.comm, "MPI_Send"), &real);
  if (started != MPI_SUCCESS) return started;
  traffic.sent(MPI_SUCCESS, call.peer);
  bool adopted = false;
  return complete_breakably(&real, call, MPI_STATUS_IGNORE, &adopted,
                            [](MPI_Request* request) { requests().started(MPI_SUCCESS, request); });
}

/// MPI_Wait, MPI_Waitall, MPI_Waitany, MPI_Waitsome, MPI_Probe and MPI_Mprobe: `test(&done)` is libcppc's own function
/// that does not wait, nor look whether the rank is to stop. For whom it waits is `peer` of `comm` where there is one.
template <class Test>
int wait_breakably(Test test, int peer = MPI_ANY_SOURCE, MPI_Comm comm = MPI_COMM_NULL) {
  return repeat(test, [&] {
    if (peer >= 0)
      call_point.wait_for(peer, comm);
    else
      call_point.wait_for_anybody();
  });
}

}  // namespace cppc::mpi
