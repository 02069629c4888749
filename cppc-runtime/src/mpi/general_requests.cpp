/// Generalized requests: MPI calls the program's functions for them.
#include <mpi.h>

#include <memory>

#include "address/program_time.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/requests.hpp"
#include "mpi/turns.hpp"

namespace cppc::mpi {

namespace {

using address::InsideProgram;

/// What the program gave, as the state of a request whose functions are those below.
struct General {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* state;
};

int query(void* given, MPI_Status* status) {
  const General& general = *static_cast<General*>(given);
  const InsideProgram program;
  return general.query(general.state, status);
}

int release(void* given) {
  const std::unique_ptr<General> general(static_cast<General*>(given));
  const InsideProgram program;
  return general->free(general->state);
}

int cancel(void* given, int complete) {
  const General& general = *static_cast<General*>(given);
  const InsideProgram program;
  return general.cancel(general.state, complete);
}

}  // namespace

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                       MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  const Entry entry;
  if (!comms.managed()) return PMPI_Grequest_start(query, free, cancel, state, request);
  auto general = std::make_unique<General>(General{.query = query, .free = free, .cancel = cancel, .state = state});
  const int status =
      PMPI_Grequest_start(cppc::mpi::query, cppc::mpi::release, cppc::mpi::cancel, general.get(), request);
  if (status == MPI_SUCCESS) general.release();  // release() has it now
  return requests().started(status, request);
}

}  // extern "C"
