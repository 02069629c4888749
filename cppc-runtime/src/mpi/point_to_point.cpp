/// Receiving and probing. What was received at a migration point comes first (mailbox.hpp).
#include <mpi.h>

#include <optional>

#include "address/program_time.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"

using namespace cppc::mpi;
using cppc::address::OutsideProgram;

namespace {

/// The receive as the mailbox does it: what it returns, nothing when the mailbox has no such message.
std::optional<int> from_mailbox(const Envelope& wanted, const Place& place, MPI_Status* status) {
  int error = MPI_SUCCESS;
  if (Mailbox::empty() || !mailbox().receive(wanted, place, status, &error)) return std::nullopt;
  if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comms.real(wanted.comm, __func__), error);
  return error;
}

int receive_in_mpi(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Status* status) {
  return traffic.received(PMPI_Recv(buf, count, real(datatype), source, tag, comms.real(comm, "MPI_Recv"), status),
                          source);
}

/// MPI_Recv while there are messages in the mailbox. Apart from it, so that it needs no stack for this: a message of a
/// few bytes takes Open MPI 200 ns in all.
[[gnu::cold, gnu::noinline]] int receive_early(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                                               MPI_Comm comm, MPI_Status* status) {
  if (const auto early = from_mailbox({source, tag, comm}, {buf, count, datatype}, status)) return *early;
  return receive_in_mpi(buf, count, datatype, source, tag, comm, status);
}

bool probe_mailbox(const Envelope& wanted, MPI_Status* status) {
  return !Mailbox::empty() && mailbox().probe(wanted, status);
}

bool match_in_mailbox(const Envelope& wanted, MPI_Message* message, MPI_Status* status) {
  return !Mailbox::empty() && mailbox().match(wanted, message, status);
}

/// `match(real, message, status)` has MPI match a message that was sent on `comm`, the program's, if there is one.
template <class Match>
int match_in_mpi(MPI_Comm comm, const char* function, MPI_Message* message, MPI_Status* status, Match match) {
  const MPI_Comm real = comms.real(comm, function);
  if (!comms.managed()) return match(real, message, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  MPI_Message found = MPI_MESSAGE_NULL;
  const int result = match(real, &found, status);
  if (result != MPI_SUCCESS) return result;
  mailbox().keep_matched(comm, &found, *status);
  *message = found;
  return result;
}

/// Where a message comes from that MPI is to receive; one of MPI_PROC_NULL is in no table.
int source_of(const MatchedMessage* matched) { return matched != nullptr ? matched->early.source : MPI_PROC_NULL; }

/// MPI has been told to receive `matched`, or *message if there is none, and left `real` of it.
void take(MatchedMessage* matched, MPI_Message real, MPI_Message* message) {
  if (matched == nullptr) {
    *message = real;
  } else if (real == MPI_MESSAGE_NULL) {
    mailbox().forget_matched(message);
  }
}

/// The message that MPI knows.
MPI_Message real_of(const MatchedMessage* matched, MPI_Message message) {
  if (matched != nullptr) return matched->real;
  return Mailbox::MatchedTable::is_virtual(message) ? MPI_MESSAGE_NULL : message;
}

}  // namespace

extern "C" {

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const OutsideProgram outside;
  if (!Mailbox::empty()) [[unlikely]]
    return receive_early(buf, count, datatype, source, tag, comm, status);
  return receive_in_mpi(buf, count, datatype, source, tag, comm, status);
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const OutsideProgram outside;
  if (!comms.managed()) return PMPI_Irecv(buf, count, real(datatype), source, tag, comm, request);
  if (!Mailbox::empty()) [[unlikely]] {
    Outcome outcome{.comm = comm};
    if (mailbox().receive({source, tag, comm}, {buf, count, datatype}, &outcome.status, &outcome.error)) {
      *request = requests().add_done(outcome);
      return MPI_SUCCESS;
    }
  }
  const Call call{.buf = buf,
                  .datatype = datatype,
                  .comm = comm,
                  .kind = CallKind::recv,
                  .count = count,
                  .peer = source,
                  .tag = tag};
  const int status = PMPI_Irecv(buf, count, real(datatype), source, tag, comms.real(comm, __func__), request);
  return requests().started(traffic.received(status, source), call, request);
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const OutsideProgram outside;
  if (const auto early = from_mailbox({source, recvtag, comm}, {recvbuf, recvcount, recvtype}, status)) [[unlikely]] {
    const int sent = MPI_Send(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    return sent != MPI_SUCCESS ? sent : *early;
  }
  return traffic.exchanged(PMPI_Sendrecv(sendbuf, sendcount, real(sendtype), dest, sendtag, recvbuf, recvcount,
                                         real(recvtype), source, recvtag, comms.real(comm, __func__), status),
                           dest, source);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm comm, MPI_Status* status) {
  const OutsideProgram outside;
  if (probe_mailbox({source, recvtag, comm}, MPI_STATUS_IGNORE)) [[unlikely]] {
    const int sent = MPI_Send(buf, count, datatype, dest, sendtag, comm);
    return sent != MPI_SUCCESS ? sent : MPI_Recv(buf, count, datatype, source, recvtag, comm, status);
  }
  return traffic.exchanged(PMPI_Sendrecv_replace(buf, count, real(datatype), dest, sendtag, source, recvtag,
                                                 comms.real(comm, __func__), status),
                           dest, source);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const OutsideProgram outside;
  if (probe_mailbox({source, tag, comm}, status)) return MPI_SUCCESS;
  return PMPI_Probe(source, tag, comms.real(comm, __func__), status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const OutsideProgram outside;
  if (probe_mailbox({source, tag, comm}, status)) {
    *flag = 1;
    return MPI_SUCCESS;
  }
  return PMPI_Iprobe(source, tag, comms.real(comm, __func__), flag, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const OutsideProgram outside;
  if (match_in_mailbox({source, tag, comm}, message, status)) return MPI_SUCCESS;
  return match_in_mpi(comm, __func__, message, status, [&](MPI_Comm real, MPI_Message* found, MPI_Status* its) {
    return PMPI_Mprobe(source, tag, real, found, its);
  });
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const OutsideProgram outside;
  if (match_in_mailbox({source, tag, comm}, message, status)) {
    *flag = 1;
    return MPI_SUCCESS;
  }
  return match_in_mpi(comm, __func__, message, status, [&](MPI_Comm real, MPI_Message* found, MPI_Status* its) {
    return PMPI_Improbe(source, tag, real, flag, found, its);
  });
}

// A message that MPI_Mprobe has matched counts as received once its receive has started.

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  const OutsideProgram outside;
  if (!comms.managed()) return PMPI_Mrecv(buf, count, real(datatype), message, status);
  MatchedMessage* const matched = mailbox().find_matched(*message);
  MPI_Message real = real_of(matched, *message);
  if (matched != nullptr && real == MPI_MESSAGE_NULL) {
    const MPI_Comm comm = matched->early.comm;
    const int error = Mailbox::deliver_matched(*matched, {buf, count, datatype}, status);
    mailbox().forget_matched(message);
    if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comms.real(comm, __func__), error);
    return error;
  }
  const int result =
      traffic.received(PMPI_Mrecv(buf, count, cppc::mpi::real(datatype), &real, status), source_of(matched));
  take(matched, real, message);
  return result;
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  const OutsideProgram outside;
  if (!comms.managed()) return PMPI_Imrecv(buf, count, real(datatype), message, request);
  MatchedMessage* const matched = mailbox().find_matched(*message);
  MPI_Message real = real_of(matched, *message);
  if (matched != nullptr && real == MPI_MESSAGE_NULL) {
    Outcome outcome{.comm = matched->early.comm};
    outcome.error = Mailbox::deliver_matched(*matched, {buf, count, datatype}, &outcome.status);
    mailbox().forget_matched(message);
    *request = requests().add_done(outcome);
    return MPI_SUCCESS;
  }
  const int result =
      traffic.received(PMPI_Imrecv(buf, count, cppc::mpi::real(datatype), &real, request), source_of(matched));
  take(matched, real, message);
  return requests().started(result, request);
}

}  // extern "C"
