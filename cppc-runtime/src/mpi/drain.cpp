#include "mpi/drain.hpp"

#include <mpi.h>

#include <algorithm>
#include <ranges>

#include "mpi/comm_table.hpp"
#include "mpi/mailbox.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"

namespace cppc::mpi {

namespace {

using State = Request::State;

/// How `request` has ended, if it has. Of an error the program hears when it asks.
bool ended(Request& request, Outcome& outcome) {
  int complete = 0;
  must(PMPI_Request_get_status(request.real, &complete, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  if (!complete) return false;
  const bool known = request.receive && !request.orphan;
  outcome.comm = known ? request.made_with().comm : MPI_COMM_WORLD;
  const ErrorsReturned errors_returned(comms.real(outcome.comm, __func__));
  outcome.error = PMPI_Wait(&request.real, &outcome.status);
  const bool gone = request.persistent && request.real == MPI_REQUEST_NULL;  // with an error
  if (gone) must(init(*request.kept, &request.real), init_name(*request.kept));
  return true;
}

void finish_those_that_ended() {
  for (Request* const request : requests().in(State::active)) {
    Outcome outcome;
    if (ended(*request, outcome)) requests().finish(*request, outcome);
  }
}

/// Latest first: whatever message comes meanwhile is either taken by the receive that it would have gone to anyway, or
/// by none.
void take_back_receives() {
  for (Request* const request : requests().in(State::active) | std::views::reverse) {
    if (!request->receive || request->orphan || request->withdrawn || request->asked_back) continue;
    request->asked_back = true;
    must(PMPI_Cancel(&request->real), "MPI_Cancel");
    int complete = 0;
    int cancelled = 0;
    MPI_Status status;
    must(PMPI_Request_get_status(request->real, &complete, &status), "MPI_Request_get_status");
    if (complete) must(PMPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
    if (!cancelled) continue;
    must(PMPI_Wait(&request->real, MPI_STATUS_IGNORE), "MPI_Wait");
    requests().park(*request);
  }
}

void post_again(Request& request) {
  const Call& call = *request.kept;
  Outcome outcome{.comm = call.comm};
  if (mailbox().receive({call.peer, call.tag, call.comm}, {call.buf, call.count, call.datatype}, &outcome.status,
                        &outcome.error)) {
    requests().finish(request, outcome);
    return;
  }
  MPI_Request real = MPI_REQUEST_NULL;
  if (request.persistent) {
    must(PMPI_Start(&request.real), "MPI_Start");
  } else {
    must(PMPI_Irecv(call.buf, call.count, mpi::real(call.datatype), call.peer, call.tag,
                    comms.real(call.comm, "MPI_Irecv"), &real),
         "MPI_Irecv");
  }
  requests().post_again(request, real);
}

}  // namespace

bool drain() {
  finish_those_that_ended();
  take_back_receives();
  mailbox().collect();
  windows().complete_locked();
  const bool all_there = mailbox().complete();
  return all_there && requests().in(State::active).empty();
}

void resume() {
  mailbox().await_complete();
  for (Request* const request : requests().in(State::active)) request->asked_back = false;
  for (Request* const request : requests().in(State::parked)) post_again(*request);
}

}  // namespace cppc::mpi
