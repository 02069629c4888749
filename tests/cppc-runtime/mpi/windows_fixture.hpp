/// A window of all processes, of whose accesses it is known when they count.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "test_world.hpp"

namespace cppc::test {

inline std::int64_t active() {
  cppc_traffic traffic;
  mpi_state::traffic(&traffic);
  return traffic.active;
}

inline void rebuild() {
  EXPECT_EQ(active(), 0);
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
}

/// Over `cells`: everybody puts to the next process and gets from the one before.
class Windows : public testing::Test {
 protected:
  Windows() {
    MPI_Win_create(cells.data(), sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Windows() override {
    MPI_Win_free(&win);
    EXPECT_EQ(win, MPI_WIN_NULL);
    EXPECT_EQ(active(), 0);
  }

  void put(int value, MPI_Aint cell = 0) {
    out = value;
    MPI_Put(&out, 1, MPI_INT, after, cell, 1, MPI_INT, win);
  }
  void get(MPI_Aint cell = 0) { MPI_Get(&in, 1, MPI_INT, before, cell, 1, MPI_INT, win); }

  int me = rank_in(MPI_COMM_WORLD);
  int size = size_of(MPI_COMM_WORLD);
  int after = (me + 1) % size;
  int before = (me + size - 1) % size;
  std::array<int, 4> cells{};
  int out = -1, in = -1;
  MPI_Win win = MPI_WIN_NULL;
};

}  // namespace cppc::test
