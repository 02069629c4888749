/// What an extension does when something is in flight at a migration point.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>

#include "handles.hpp"

namespace cppc::test {

inline cppc_traffic traffic_now() {
  cppc_traffic traffic;
  mpi_state::traffic(&traffic);
  return traffic;
}

/// Collective over MPI_COMM_WORLD: until nothing is under way anywhere.
inline void drain_all() {
  for (int quiet = 0; !quiet;) {
    const int settled = mpi_state::drain();
    const cppc_traffic now = traffic_now();
    const std::array<std::int64_t, 2> mine{now.sent - now.received, settled ? 0 : 1};
    std::array<std::int64_t, 2> all{};
    MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    quiet = all[0] == 0 && all[1] == 0;
  }
  EXPECT_EQ(traffic_now().active, 0);
}

}  // namespace cppc::test
