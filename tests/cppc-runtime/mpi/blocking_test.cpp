/// A rank that waits for a message can be stopped there. Every process sends to the next and receives from the one
/// before.
#include "mpi/blocking.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <vector>

#include "communicator_set.hpp"
#include "mpi/drain.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

using mpi::Call;
using mpi::call_point;
using mpi::CallKind;

constexpr int go_tag = 99;

std::uint32_t bell = 0;
std::vector<int> asked;
int moves_on = 0;
int stops = 0;
int stop_at = 0;          ///< which question is answered by stopping
std::optional<int> tell;  ///< process of MPI's world that may send once this one waits

const cppc_calls calls{
    .open = nullptr,
    .close = nullptr,
    .current = nullptr,
    .withdrawn = nullptr,
    .reached =
        [](int, int waits_for) {
          asked.push_back(waits_for);
          const bool stop = static_cast<int>(asked.size()) == stop_at;
          if (!stop && tell && static_cast<int>(asked.size()) > stop_at) {
            PMPI_Send(nullptr, 0, MPI_BYTE, *tell, go_tag, MPI_COMM_WORLD);
            tell.reset();
          }
          return stop ? 1 : 0;
        },
    .enter = [](int, cppc_inside) {},
    .moved_on = [] { ++moves_on; },
};

/// What an extension does at a stop, as far as messages are concerned.
void stop() {
  ++stops;
  while (!mpi::drain()) continue;
  mpi::resume();
}

class Blocking : public testing::Test {
 protected:
  Blocking() {
    asked.clear();
    moves_on = stops = stop_at = 0;
    call_point.watch(&bell, &calls, stop);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Blocking() override {
    bell = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    call_point.watch(nullptr, nullptr, nullptr);
  }

  int receive() {
    const Call call{&in_, MPI_INT, MPI_COMM_WORLD, CallKind::recv, 1, before, 0};
    return mpi::receive_breakably(call, &status_);
  }

  int send() {
    const Call call{&out_, MPI_INT, MPI_COMM_WORLD, CallKind::ssend, 1, after, 0};
    return mpi::send_breakably<PMPI_Issend>(call);
  }

  /// Rank 0 waits, the others do what they have to when it does: the ring goes round once.
  void let_rank_0_wait() {
    bell = 1;
    tell = process_of(before);
  }

  /// Until the one that waits has said that it does.
  static void await_go() { PMPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, go_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

  /// In MPI's world.
  [[nodiscard]] int process_of(int rank) const { return size - 1 - rank; }

  int me = rank_in(MPI_COMM_WORLD);
  int size = size_of(MPI_COMM_WORLD);
  int after = (me + 1) % size;
  int before = (me + size - 1) % size;
  int out_ = me;
  int in_ = -1;
  MPI_Status status_{};
};

TEST_F(Blocking, AReceiveSaysForWhomItWaits) {
  if (me == 0) {
    let_rank_0_wait();
    EXPECT_EQ(receive(), MPI_SUCCESS);
    EXPECT_GE(asked.size(), 1U);
    EXPECT_EQ(asked[0], before);
    EXPECT_EQ(moves_on, 1);
    EXPECT_EQ(in_, before);
    EXPECT_EQ(status_.MPI_SOURCE, before);
  } else if (me == size - 1) {
    await_go();
    EXPECT_EQ(send(), MPI_SUCCESS);
    EXPECT_TRUE(asked.empty());
  }
}

TEST_F(Blocking, AReceiveGoesOnAfterAStop) {
  stop_at = 2;
  if (me == 0) {
    let_rank_0_wait();
    EXPECT_EQ(receive(), MPI_SUCCESS);
    EXPECT_EQ(stops, 1);
    EXPECT_EQ(in_, before);
  } else if (me == size - 1) {
    await_go();
    EXPECT_EQ(send(), MPI_SUCCESS);
  }
}

TEST_F(Blocking, WithoutTheDoorbellTheExtensionIsNotCalled) {
  if (me == 0) {
    EXPECT_EQ(receive(), MPI_SUCCESS);
    EXPECT_EQ(in_, before);
    EXPECT_EQ(moves_on, 0);
  } else if (me == size - 1) {
    EXPECT_EQ(send(), MPI_SUCCESS);
  }
  EXPECT_TRUE(asked.empty());
}

TEST_F(Blocking, ASendIsCompletedByTheOthersStop) {
  if (me == 0) {
    bell = 1;
    tell = process_of(after);
    EXPECT_EQ(send(), MPI_SUCCESS);
    ASSERT_GE(asked.size(), 1U);
    EXPECT_EQ(asked[0], after);
    EXPECT_EQ(moves_on, 1);
  } else if (me == 1) {
    await_go();
    for (int there = 0; there == 0;) {
      mpi::drain();
      MPI_Iprobe(before, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    mpi::resume();
    EXPECT_EQ(MPI_Recv(&in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(in_, before);
  }
}

TEST_F(Blocking, AWaitGoesOnAfterAStop) {
  stop_at = 3;
  if (me == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&in_, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
    let_rank_0_wait();
    EXPECT_EQ(
        mpi::wait_breakably([&](int* done) { return MPI_Test(&request, done, &status_); }, before, MPI_COMM_WORLD),
        MPI_SUCCESS);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(stops, 1);
    EXPECT_EQ(in_, before);
  } else if (me == size - 1) {
    await_go();
    EXPECT_EQ(send(), MPI_SUCCESS);
  }
}

}  // namespace
}  // namespace cppc::test
