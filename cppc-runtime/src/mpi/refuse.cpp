#include "mpi/refuse.hpp"

#include <mpi.h>

#include <string>

#include "log.hpp"
#include "mpi/comm_table.hpp"

namespace cppc::mpi {

void abort_job(std::string_view message) {
  if (comms.awaits_world()) die(CPPC_ERR_UNSUPPORTED, message);  // a replacement, which the job does not need yet
  log().critical("{}", message);
  PMPI_Abort(comms.world(), 1);
  die(CPPC_ERR_UNSUPPORTED, message);  // MPI_Abort does not return
}

void refuse(const char* what) {
  abort_job(std::string(what) + " is not supported by CPPC Live yet; run the program with plain mpirun");
}

}  // namespace cppc::mpi
