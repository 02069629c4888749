/// Windows: when their accesses count, and that they live on in another world, in the epochs in which they were.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <utility>
#include <vector>

#include "windows_fixture.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

TEST_F(Windows, GoOnBetweenFences) {
  MPI_Win_fence(0, win);
  for (int round = 0; round < 3; ++round) {
    put(100 * round + me, round);
    MPI_Win_fence(0, win);
    rebuild();
    for (int cell = 0; cell <= round; ++cell) EXPECT_EQ(cells[static_cast<std::size_t>(cell)], 100 * cell + before);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  rebuild();
  MPI_Win_lock_all(0, win);  // no epoch of fences is open
  MPI_Win_unlock_all(win);
}

TEST_F(Windows, GoOnWhileTheyAreLocked) {
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < 3; ++round) {
    put(100 * round + me);
    MPI_Win_flush(after, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    EXPECT_EQ(cells[0], 100 * round + before);
    rebuild();
  }
  MPI_Win_unlock_all(win);
  rebuild();
  MPI_Win_fence(0, win);
  get();
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  EXPECT_EQ(in, 200 + (before + size - 1) % size);
}

TEST_F(Windows, GoOnWhileATargetIsLocked) {
  MPI_Win_lock(MPI_LOCK_SHARED, after, 0, win);
  for (int round = 0; round < 3; ++round) {
    rebuild();
    put(round + me);
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock(after, win);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(cells[0], 2 + before);
  rebuild();
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, win);  // nobody holds it any more
  MPI_Win_unlock(after, win);
}

TEST_F(Windows, AreNotQuietBeforeTheTargetHasWhatWasPut) {
  MPI_Win_lock_all(0, win);
  put(5);
  EXPECT_EQ(active(), 1);
  put(6, 1);
  EXPECT_EQ(active(), 1);
  MPI_Win_flush_local(after, win);
  EXPECT_EQ(active(), 1);
  MPI_Win_flush(after, win);
  EXPECT_EQ(active(), 0);
  MPI_Accumulate(&out, 1, MPI_INT, after, 2, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush_local_all(win);
  EXPECT_EQ(active(), 1);
  MPI_Win_flush_all(win);
  EXPECT_EQ(active(), 0);
  put(7);
  MPI_Win_unlock_all(win);
  EXPECT_EQ(active(), 0);
  MPI_Win_fence(0, win);
  put(8);
  EXPECT_EQ(active(), 1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(cells, (std::array{8, 6, 6, 0}));
}

TEST_F(Windows, AreQuietWhenResultsAreThere) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  get();
  EXPECT_EQ(active(), 1);
  MPI_Win_flush_local(before, win);
  EXPECT_EQ(active(), 0);
  const int one = 1;
  MPI_Fetch_and_op(&one, &in, MPI_INT, 0, 0, MPI_SUM, win);
  EXPECT_EQ(active(), 1);
  MPI_Win_flush_local_all(win);
  EXPECT_EQ(active(), 0);
  MPI_Get_accumulate(&one, 1, MPI_INT, &in, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(0, win);
  const int zero = 0;
  MPI_Compare_and_swap(&one, &zero, &in, MPI_INT, 0, 2, win);
  MPI_Win_flush_all(win);
  EXPECT_EQ(active(), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  if (me == 0) {
    EXPECT_EQ(cells[0], size);
    EXPECT_EQ(cells[1], size);
    EXPECT_EQ(cells[2], 1);
  }
  get(3);
  put(4, 3);
  EXPECT_EQ(active(), size > 2 ? 2 : 1);
  MPI_Win_unlock_all(win);
}

TEST_F(Windows, CountTheirRequests) {
  MPI_Request request;
  MPI_Win_lock_all(0, win);
  out = me;
  MPI_Rput(&out, 1, MPI_INT, after, 0, 1, MPI_INT, win, &request);
  EXPECT_EQ(active(), 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(active(), 1);
  MPI_Win_flush(after, win);
  EXPECT_EQ(active(), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rget(&in, 1, MPI_INT, after, 0, 1, MPI_INT, win, &request);
  EXPECT_EQ(active(), 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(in, me);
  MPI_Raccumulate(&out, 1, MPI_INT, after, 1, 1, MPI_INT, MPI_REPLACE, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(active(), 1);
  MPI_Win_flush_all(win);
  MPI_Rget_accumulate(nullptr, 0, MPI_INT, &in, 1, MPI_INT, after, 1, 1, MPI_INT, MPI_NO_OP, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(in, me);
  MPI_Win_unlock_all(win);
}

TEST_F(Windows, AreDrainedUnderLocks) {
  MPI_Win_lock_all(0, win);
  put(5);
  get(1);
  mpi_state::drain();
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(in, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  EXPECT_EQ(cells[0], 5);
  rebuild();
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, win);
  put(6);
  mpi_state::drain();
  EXPECT_EQ(active(), 1) << "the lock";
  MPI_Win_unlock(after, win);
  MPI_Win_fence(0, win);
  put(7);
  mpi_state::drain();
  EXPECT_EQ(active(), 1) << "no lock, but a fence";
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  EXPECT_EQ(cells[0], 7);
}

TEST_F(Windows, AreNotQuietWhileATargetIsLockedForOneAlone) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, win);
  EXPECT_EQ(active(), 1);
  put(1);
  EXPECT_EQ(active(), 2);
  MPI_Win_unlock(after, win);
  EXPECT_EQ(active(), 0);
  MPI_Win_lock_all(0, win);
  MPI_Put(&out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  EXPECT_EQ(active(), 0);
  MPI_Win_unlock_all(win);
}

TEST_F(Windows, AreNotCarriedOverWhileTheyAreNotQuiet) {
  ByteWriter refused, good;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, win);
  EXPECT_EQ(mpi_state::serialize(refused), CPPC_ERR_UNSUPPORTED);
  MPI_Win_unlock(after, win);
  EXPECT_EQ(mpi_state::serialize(good), CPPC_OK);
}

TEST_F(Windows, AreNotQuietInEpochsOfGroups) {
  MPI_Group all, target, origin;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &after, &target);
  MPI_Group_incl(all, 1, &before, &origin);
  for (int round = 1; round <= 4; ++round) {
    MPI_Win_post(origin, 0, win);
    EXPECT_EQ(active(), 1);
    MPI_Win_start(target, 0, win);
    EXPECT_EQ(active(), 2);
    put(100 * round + me);
    EXPECT_EQ(active(), 3);
    MPI_Win_complete(win);
    EXPECT_EQ(active(), 1);
    if (round % 2 == 0) {
      MPI_Win_wait(win);
    } else {
      for (int done = 0; !done;) MPI_Win_test(win, &done);
    }
    EXPECT_EQ(cells[0], 100 * round + before);
    rebuild();
  }
  for (MPI_Group* group : {&all, &target, &origin}) MPI_Group_free(group);
}

TEST_F(Windows, AreServedByWhoWaitsOutsideMpi) {
  MPI_Win_lock_all(0, win);
  if (me == 0) {
    const volatile int& sum = cells[0];
    while (sum != size - 1) ASSERT_EQ(mpi_state::progress(), 1);
  } else {
    out = 1;
    MPI_Accumulate(&out, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
}

}  // namespace

}  // namespace cppc::test
