/// Where a rank may stop when its program has no marked safe points, under an extension that counts safe points and
/// does not watch calls (call_point.hpp): collective operations of all ranks, which every rank passes in the same
/// order. Messages that are in flight there are drained.
#pragma once

#include <mpi.h>

#include "cppc/cppc.h"
#include "mpi/comm_table.hpp"

namespace cppc::mpi {

class CollectivePoints {
 public:
  /// Under an extension, if the program's state is kept by address and it has no others.
  void enable() { enabled_ = true; }

  /// At the beginning of a blocking operation on the program's communicator.
  void passed(MPI_Comm comm) const {
    if (enabled_ && of_all(comm) && cppc_safe_point(kSite) != 0) cppc_stop_here();
  }

 private:
  /// Of a place in the source there is none: this one is all of them.
  static constexpr unsigned kSite = 0xc0'11ec;

  static bool of_all(MPI_Comm comm) {
    if (comm == MPI_COMM_WORLD) return true;
    const MPI_Comm real = CommTable::is_virtual(comm) ? comms.at(CommTable::index_of(comm)) : comm;
    if (real == MPI_COMM_NULL || real == nullptr || real == MPI_COMM_SELF) return false;
    int size = 0, between_groups = 0;
    return PMPI_Comm_size(real, &size) == MPI_SUCCESS && size == comms.world_size() &&
           PMPI_Comm_test_inter(real, &between_groups) == MPI_SUCCESS && between_groups == 0;
  }

  bool enabled_ = false;
};

inline constinit CollectivePoints collective_points;

}  // namespace cppc::mpi
