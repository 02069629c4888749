// Ranks in MPI_Finalize wait for each other. Run under mpirun; every process is a rank.

#include "rank/finalize_barrier.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>

namespace {

using cppc::migration::FinalizeBarrier;

class FinalizeBarrierTest : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    renew();
  }
  void TearDown() override { MPI_Comm_free(&all_); }

  /// As after a migration.
  void renew() {
    if (all_ != MPI_COMM_NULL) MPI_Comm_free(&all_);
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    barrier_.restart(all_, rank_, ranks_);
  }

  /// Of the others, who does not pass.
  void expect_to_wait_for(int late) {
    for (int i = 0; rank_ != late && i < 100; ++i)
      EXPECT_FALSE(barrier_.passed()) << "rank " << late << " is not there";
  }

  void pass() {
    while (!barrier_.passed()) continue;
    barrier_.open();
  }

  /// As the agents find out: nothing is under way, and all that was sent has been received.
  bool quiet() {
    std::array<long, 2> open{barrier_.sent() - barrier_.received(), barrier_.drain() ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, open.data(), 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return open == std::array<long, 2>{};
  }

  int rank_ = 0;
  int ranks_ = 0;
  MPI_Comm all_ = MPI_COMM_NULL;
  FinalizeBarrier barrier_;
};

TEST_F(FinalizeBarrierTest, ReleasesNoRankBeforeAllHaveArrived) {
  for (int late = 0; late < ranks_; ++late) {
    renew();
    expect_to_wait_for(late);
    MPI_Barrier(MPI_COMM_WORLD);
    pass();
  }
}

TEST_F(FinalizeBarrierTest, DrainsItsMessagesAndStartsAnewAfterAMigration) {
  expect_to_wait_for(0);
  while (!quiet()) continue;
  renew();
  expect_to_wait_for(ranks_ - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  pass();
}

TEST_F(FinalizeBarrierTest, DrainedMessagesCountWithoutAMigration) {
  expect_to_wait_for(0);
  while (!quiet()) continue;
  pass();
  while (!quiet()) continue;
  EXPECT_EQ(barrier_.sent(),
            (rank_ == 0 ? 0 : 1) + (2 * rank_ + 1 < ranks_ ? 1 : 0) + (2 * rank_ + 2 < ranks_ ? 1 : 0));
}

}  // namespace
