/// Receiving and probing. What was received at a migration point comes first (mailbox.hpp).
#include <mpi.h>

#include <array>
#include <optional>

#include "mpi/blocking.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/kept.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/requests.hpp"
#include "mpi/traffic.hpp"
#include "mpi/turns.hpp"

using namespace cppc::mpi;

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
  return traffic.received(
      waiting<PMPI_Recv>(buf, count, real(datatype), source, tag, comms.real(comm, "MPI_Recv"), status), source);
}

/// MPI_Recv while there are messages in the mailbox. Apart from it, so that it needs no stack for this: a message of a
/// few bytes takes Open MPI 200 ns in all.
[[gnu::cold, gnu::noinline]] int receive_early(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                                               MPI_Comm comm, MPI_Status* status) {
  if (const auto early = from_mailbox({source, tag, comm}, {buf, count, datatype}, status)) return *early;
  if (call_point.watching())
    return receive_breakably({buf, datatype, comm, CallKind::recv, count, source, tag}, status);
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

int probe(const Envelope& wanted, int* found, MPI_Status* status) {
  if (probe_mailbox(wanted, status)) {
    *found = 1;
    return MPI_SUCCESS;
  }
  return PMPI_Iprobe(wanted.source, wanted.tag, comms.real(wanted.comm, "MPI_Iprobe"), found, status);
}

int match(const Envelope& wanted, int* found, MPI_Message* message, MPI_Status* status) {
  if (match_in_mailbox(wanted, message, status)) {
    *found = 1;
    return MPI_SUCCESS;
  }
  const auto look = [&](MPI_Comm real, MPI_Message* its, MPI_Status* found_status) {
    return PMPI_Improbe(wanted.source, wanted.tag, real, found, its, found_status);
  };
  return match_in_mpi(wanted.comm, "MPI_Improbe", message, status, look);
}

/// What a call returns that has looked for a message, maybe in vain.
int in_vain(int status, const int* found, int source, MPI_Comm comm) {
  if (status == MPI_SUCCESS && *found == 0 && call_point.rings()) call_point.wait_for(source, comm);
  return status;
}

struct Outgoing {
  const void* buf;
  int count;
  MPI_Datatype datatype;
};

/// MPI_Sendrecv, which the rank can be stopped in, of what is not in the mailbox.
int exchange_breakably(const Outgoing& out, int dest, int sendtag, const Place& in, int source, int recvtag,
                       MPI_Comm comm, MPI_Status* status) {
  const MPI_Comm its = comms.real(comm, "MPI_Sendrecv");
  MPI_Request receiving = MPI_REQUEST_NULL, sending = MPI_REQUEST_NULL;
  if (const int began = PMPI_Irecv(in.buf, in.count, real(in.datatype), source, recvtag, its, &receiving);
      began != MPI_SUCCESS)
    return began;
  if (const int began = PMPI_Isend(out.buf, out.count, real(out.datatype), dest, sendtag, its, &sending);
      began != MPI_SUCCESS) {
    PMPI_Cancel(&receiving);
    PMPI_Wait(&receiving, MPI_STATUS_IGNORE);
    return began;
  }
  traffic.sent(MPI_SUCCESS, dest);
  const Call call{in.buf, in.datatype, comm, CallKind::recv, in.count, source, recvtag};
  const auto adopt_send = [](MPI_Request* request) { requests().started(MPI_SUCCESS, request); };
  bool adopted = false;
  const int received = complete_breakably(&receiving, call, status, &adopted, [&](MPI_Request* request) {
    requests().started(traffic.received(MPI_SUCCESS, source), call, request);
    adopt_send(&sending);
  });
  if (!adopted) traffic.received(received, source);
  const int sent =
      adopted ? wait_in_steps(&sending, MPI_STATUS_IGNORE)
              : complete_breakably(&sending, {.comm = comm, .peer = dest}, MPI_STATUS_IGNORE, &adopted, adopt_send);
  return sent != MPI_SUCCESS ? sent : received;
}

/// Likewise MPI_Sendrecv_replace: what is sent is packed in memory of the program, its stack if that is enough.
int replace_breakably(const Place& both, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                      MPI_Status* status) {
  constexpr int kLittle = 1024;
  std::array<char, kLittle> little;
  int room = 0, bytes = 0;
  const MPI_Comm its = comms.real(comm, "MPI_Sendrecv_replace");
  int result = PMPI_Pack_size(both.count, real(both.datatype), its, &room);
  if (result != MPI_SUCCESS) return result;
  void* const large = room > kLittle ? allocate_carried(cppc_type_bytes, static_cast<std::size_t>(room)) : nullptr;
  if (room > kLittle && large == nullptr) cannot_keep();
  void* const copy = large != nullptr ? large : little.data();
  result = PMPI_Pack(both.buf, both.count, real(both.datatype), copy, room, &bytes, its);
  if (result == MPI_SUCCESS)
    result = exchange_breakably({copy, bytes, MPI_PACKED}, dest, sendtag, both, source, recvtag, comm, status);
  if (large != nullptr) release_carried(large);
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
  const Entry entry;
  call_point.pass();
  if (!Mailbox::empty()) [[unlikely]]
    return receive_early(buf, count, datatype, source, tag, comm, status);
  if (call_point.watching())
    return receive_breakably({buf, datatype, comm, CallKind::recv, count, source, tag}, status);
  return receive_in_mpi(buf, count, datatype, source, tag, comm, status);
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Irecv(buf, count, real(datatype), source, tag, comm, request);
  call_point.pass();
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
  const Entry entry;
  call_point.pass();
  if (const auto early = from_mailbox({source, recvtag, comm}, {recvbuf, recvcount, recvtype}, status)) [[unlikely]] {
    const int sent = MPI_Send(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    return sent != MPI_SUCCESS ? sent : *early;
  }
  if (call_point.watching())
    return exchange_breakably({sendbuf, sendcount, sendtype}, dest, sendtag, {recvbuf, recvcount, recvtype}, source,
                              recvtag, comm, status);
  return traffic.exchanged(waiting<PMPI_Sendrecv>(sendbuf, sendcount, real(sendtype), dest, sendtag, recvbuf, recvcount,
                                                  real(recvtype), source, recvtag, comms.real(comm, __func__), status),
                           dest, source);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm comm, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  if (probe_mailbox({source, recvtag, comm}, MPI_STATUS_IGNORE)) [[unlikely]] {
    const int sent = MPI_Send(buf, count, datatype, dest, sendtag, comm);
    return sent != MPI_SUCCESS ? sent : MPI_Recv(buf, count, datatype, source, recvtag, comm, status);
  }
  if (call_point.watching())
    return replace_breakably({buf, count, datatype}, dest, sendtag, source, recvtag, comm, status);
  return traffic.exchanged(waiting<PMPI_Sendrecv_replace>(buf, count, real(datatype), dest, sendtag, source, recvtag,
                                                          comms.real(comm, __func__), status),
                           dest, source);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  if (call_point.watching()) {
    const auto look = [&](int* found) { return probe({source, tag, comm}, found, status); };
    return wait_breakably(look, source, comm);
  }
  if (probe_mailbox({source, tag, comm}, status)) return MPI_SUCCESS;
  return waiting<PMPI_Probe>(source, tag, comms.real(comm, __func__), status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  return in_vain(probe({source, tag, comm}, flag, status), flag, source, comm);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  if (call_point.watching()) {
    const auto look = [&](int* found) { return match({source, tag, comm}, found, message, status); };
    return wait_breakably(look, source, comm);
  }
  if (match_in_mailbox({source, tag, comm}, message, status)) return MPI_SUCCESS;
  return match_in_mpi(comm, __func__, message, status, [&](MPI_Comm real, MPI_Message* found, MPI_Status* its) {
    return waiting<PMPI_Mprobe>(source, tag, real, found, its);
  });
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const Entry entry;
  call_point.pass();
  return in_vain(match({source, tag, comm}, flag, message, status), flag, source, comm);
}

// A message that MPI_Mprobe has matched counts as received once its receive has started.

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Mrecv(buf, count, real(datatype), message, status);
  call_point.pass();
  MatchedMessage* const matched = mailbox().find_matched(*message);
  MPI_Message real = real_of(matched, *message);
  if (matched != nullptr && real == MPI_MESSAGE_NULL) {
    const MPI_Comm comm = matched->early.comm;
    const int error = Mailbox::deliver_matched(*matched, {buf, count, datatype}, status);
    mailbox().forget_matched(message);
    if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comms.real(comm, __func__), error);
    return error;
  }
  const int source = source_of(matched);
  const int result = waiting<PMPI_Mrecv>(buf, count, cppc::mpi::real(datatype), &real, status);
  traffic.received(result, source);
  take(mailbox().find_matched(*message), real, message);
  return result;
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Imrecv(buf, count, real(datatype), message, request);
  call_point.pass();
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
