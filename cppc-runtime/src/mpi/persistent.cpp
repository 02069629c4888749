/// The functions that make and start persistent requests.
#include <mpi.h>

#include <algorithm>
#include <span>
#include <vector>

#include "mpi/call_point.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

namespace {

using State = Request::State;

int start_one(MPI_Request handle) {
  Request* const request = requests().find(handle);
  if (request == nullptr) return PMPI_Start(&handle);
  const Call& call = *request->kept;
  Outcome outcome{.comm = call.comm};
  if (request->receive && mailbox().receive({call.peer, call.tag, call.comm}, {call.buf, call.count, call.datatype},
                                            &outcome.status, &outcome.error)) {
    request->outcome = outcome;
    requests().start(*request, State::done);
    return MPI_SUCCESS;
  }
  const int status = PMPI_Start(&request->real);
  if (status == MPI_SUCCESS) requests().start(*request, State::active);
  return status;
}

bool startable(MPI_Request handle) {
  const Request* const request = requests().find(handle);
  return request != nullptr && request->persistent && request->state == State::idle;
}

int start(std::span<MPI_Request> program, int (*start_real)(std::span<MPI_Request> real)) {
  // MPI_Start looks into whatever it gets: what cannot be started goes as a request of that kind.
  if (!std::ranges::all_of(program, startable)) {
    MPI_Request none = MPI_REQUEST_NULL;
    return PMPI_Start(&none);
  }
  if (!Mailbox::empty()) {
    int status = MPI_SUCCESS;
    for (std::size_t i = 0; i < program.size() && status == MPI_SUCCESS; ++i) status = start_one(program[i]);
    return status;
  }
  std::vector<MPI_Request> real(program.size());
  std::ranges::transform(program, real.begin(), [](MPI_Request handle) { return requests().find(handle)->real; });
  const int status = start_real(real);
  for (std::size_t i = 0; i < real.size(); ++i) requests().find(program[i])->real = real[i];
  if (status != MPI_SUCCESS) return status;
  for (const MPI_Request handle : program) requests().start(*requests().find(handle), State::active);
  return status;
}

}  // namespace

}  // namespace cppc::mpi

using namespace cppc::mpi;

#define INIT(name, call_kind, buffer_type)                                                      \
  int name(buffer_type buf, int count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm, \
           MPI_Request* request) {                                                              \
    const Entry entry;                                                                          \
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

int MPI_Start(MPI_Request* request) {
  const Entry entry;
  if (!comms.managed() || request == nullptr) return PMPI_Start(request);
  call_point.pass();
  return start({request, 1}, [](std::span<MPI_Request> real) { return PMPI_Start(real.data()); });
}

int MPI_Startall(int count, MPI_Request program[]) {
  const Entry entry;
  if (!comms.managed() || program == nullptr || count <= 0) return PMPI_Startall(count, program);
  call_point.pass();
  return start({program, static_cast<std::size_t>(count)},
               [](std::span<MPI_Request> real) { return PMPI_Startall(static_cast<int>(real.size()), real.data()); });
}

}  // extern "C"
