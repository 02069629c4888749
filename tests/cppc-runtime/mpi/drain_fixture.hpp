/// Every process sends to the next and receives from the one before; between the two there is another world, or a
/// migration that is given up.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include "communicator_set.hpp"
#include "drained.hpp"
#include "mpi/datatypes.hpp"
#include "test_world.hpp"

namespace cppc::test {

enum class Then { rebuild, resume };

class Drain : public testing::TestWithParam<Then> {
 protected:
  void SetUp() override { MPI_Barrier(MPI_COMM_WORLD); }
  void TearDown() override {
    EXPECT_EQ(traffic_now().active, 0);
    EXPECT_EQ(mpi::real(mpi::Datatypes::Table::handle_of(1)), nullptr) << "a datatype is left";
  }

  static void interrupt() {
    drain_all();
    if (GetParam() == Then::rebuild)
      ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
    else
      mpi_state::resume();
  }

  void send(int value, int tag = 0, MPI_Comm comm = MPI_COMM_WORLD) { MPI_Send(&value, 1, MPI_INT, after, tag, comm); }

  MPI_Request post(int* into, int source, int tag = 0) {
    MPI_Request request;
    MPI_Irecv(into, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
    return request;
  }

  int receive(int tag = 0, MPI_Comm comm = MPI_COMM_WORLD) {
    int value = -1;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, before, tag, comm, &status);
    EXPECT_EQ(status.MPI_SOURCE, before);
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 1);
    return value;
  }

  int me = rank_in(MPI_COMM_WORLD);
  int size = size_of(MPI_COMM_WORLD);
  int after = (me + 1) % size;
  int before = (me + size - 1) % size;
};

}  // namespace cppc::test
