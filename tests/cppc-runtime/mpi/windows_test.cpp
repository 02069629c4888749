/// Windows: when their accesses count, and that they live on in another world, in the epochs in which they were.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <utility>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "heap.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

std::int64_t active() {
  cppc_traffic traffic;
  mpi_state::traffic(&traffic);
  return traffic.active;
}

void rebuild() {
  EXPECT_EQ(active(), 0);
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
}

template <class Value>
Value* attribute(MPI_Win win, int keyval) {
  Value* value = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, keyval, static_cast<void*>(&value), &found);
  return found != 0 ? value : nullptr;
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

TEST_F(Windows, StayWhatTheyWere) {
  MPI_Info info;
  MPI_Win hinted;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win_create(&cells[1], 2 * sizeof(int), 2, info, MPI_COMM_WORLD, &hinted);
  MPI_Info_free(&info);
  MPI_Win_set_name(hinted, "hinted");
  MPI_Win_set_errhandler(hinted, MPI_ERRORS_RETURN);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(attribute<void>(hinted, MPI_WIN_BASE), &cells[1]);
    EXPECT_EQ(*attribute<MPI_Aint>(hinted, MPI_WIN_SIZE), MPI_Aint{2 * sizeof(int)});
    EXPECT_EQ(*attribute<int>(hinted, MPI_WIN_DISP_UNIT), 2);
    EXPECT_EQ(*attribute<int>(hinted, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_CREATE);
    EXPECT_NE(attribute<int>(hinted, MPI_WIN_MODEL), nullptr);
    char name[MPI_MAX_OBJECT_NAME], value[8] = "";
    int length, found = 0;
    MPI_Win_get_name(hinted, name, &length);
    EXPECT_STREQ(name, "hinted");
    MPI_Errhandler handler;
    MPI_Win_get_errhandler(hinted, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    MPI_Win_get_info(hinted, &info);
    MPI_Info_get(info, "no_locks", sizeof value - 1, value, &found);
    EXPECT_TRUE(found);
    EXPECT_STREQ(value, "true");
    MPI_Info_free(&info);
    MPI_Win_get_errhandler(win, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
    rebuild();
  }
  MPI_Win_free(&hinted);
}

TEST_F(Windows, OutliveTheirCommunicator) {
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &reversed);
  const int there = rank_in(reversed), number = size_of(reversed);
  std::vector<int> shown(2, -1);
  MPI_Win first, second, third;
  MPI_Win_create(shown.data(), sizeof(int), sizeof(int), MPI_INFO_NULL, reversed, &first);
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
  MPI_Win_free(&first);
  MPI_Win_create(&shown[1], sizeof(int), sizeof(int), MPI_INFO_NULL, reversed, &third);  // under the first one's number
  MPI_Comm_free(&reversed);
  for (int round = 0; round < 3; ++round) {
    MPI_Win_fence(0, third);
    out = 10 * round + there;
    MPI_Put(&out, 1, MPI_INT, (there + 1) % number, 0, 1, MPI_INT, third);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, third);
    EXPECT_EQ(shown, (std::vector{-1, 10 * round + (there + number - 1) % number}));
    rebuild();
  }
  MPI_Win_free(&second);
  MPI_Win_free(&third);
}

TEST_F(Windows, BringTheirMemory) {
  const std::size_t blocks = heap().blocks().size();
  int* base = nullptr;
  MPI_Win allocated;
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &allocated);
  EXPECT_EQ(heap().blocks().size(), blocks + 2);
  base[0] = me;
  base[1] = -1;
  rebuild();
  EXPECT_EQ(*attribute<int>(allocated, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_ALLOCATE);
  EXPECT_EQ(attribute<int>(allocated, MPI_WIN_BASE), base);
  MPI_Win_lock_all(0, allocated);
  MPI_Get(&base[1], 1, MPI_INT, before, 0, 1, MPI_INT, allocated);
  MPI_Win_unlock_all(allocated);
  EXPECT_EQ(base[1], before);
  MPI_Win_free(&allocated);
  EXPECT_EQ(heap().blocks().size(), blocks);
  MPI_Win_allocate(0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &allocated);
  rebuild();
  MPI_Win_free(&allocated);
}

TEST_F(Windows, WithSharedMemoryStayAsTheyAre) {
  int* own = nullptr;
  MPI_Win shared;
  ASSERT_EQ(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&own),
                                    &shared),
            MPI_SUCCESS);
  EXPECT_EQ(*attribute<int>(shared, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_SHARED);
  EXPECT_EQ(attribute<int>(shared, MPI_WIN_BASE), own);
  int* other = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(shared, after, &bytes, &unit, static_cast<void*>(&other));
  EXPECT_EQ(bytes, static_cast<MPI_Aint>(sizeof(int)));
  for (int round = 0; round < 3; ++round) {
    MPI_Win_fence(0, shared);
    *own = 10 * me + round;
    MPI_Win_fence(0, shared);
    EXPECT_EQ(*other, 10 * after + round);
    rebuild();
  }
  ByteWriter refused;
  EXPECT_EQ(mpi_state::serialize(refused), CPPC_ERR_UNSUPPORTED);
  MPI_Win_free(&shared);
  ByteWriter good;
  EXPECT_EQ(mpi_state::serialize(good), CPPC_OK);
}

TEST_F(Windows, OfAddressesStayAsTheyAre) {
  MPI_Win dynamic;
  ASSERT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic), MPI_SUCCESS);
  int shown = 0;
  MPI_Win_attach(dynamic, &shown, sizeof shown);
  MPI_Aint place = 0, target = 0;
  MPI_Get_address(&shown, &place);
  MPI_Sendrecv(&place, 1, MPI_AINT, before, 0, &target, 1, MPI_AINT, after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int round = 1; round < 4; ++round) {
    const int value = 10 * me + round;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, dynamic);
    MPI_Put(&value, 1, MPI_INT, after, target, 1, MPI_INT, dynamic);
    MPI_Win_unlock(after, dynamic);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(shown, 10 * before + round);
    rebuild();
  }
  ByteWriter refused;
  EXPECT_EQ(mpi_state::serialize(refused), CPPC_ERR_UNSUPPORTED);
  MPI_Win_detach(dynamic, &shown);
  MPI_Win_free(&dynamic);
}

TEST_F(Windows, HandlesOfFreedOnesAreInvalid) {
  MPI_Win freed, kept;
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &freed);
  kept = freed;
  MPI_Win_free(&freed);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_NE(MPI_Win_fence(0, kept), MPI_SUCCESS);
  EXPECT_NE(MPI_Win_free(&kept), MPI_SUCCESS);
  EXPECT_NE(MPI_Win_free(&freed), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST(NoWindow, NeedsNoService) { EXPECT_EQ(mpi_state::progress(), 0); }

TEST(AllocatedMemory, IsTheTrackedHeaps) {
  const std::size_t blocks = heap().blocks().size();
  void* memory = nullptr;
  EXPECT_EQ(MPI_Alloc_mem(1000, MPI_INFO_NULL, static_cast<void*>(&memory)), MPI_SUCCESS);
  EXPECT_EQ(heap().blocks().size(), blocks + 1);
  EXPECT_EQ(heap().blocks().back().address, memory);
  MPI_Free_mem(memory);
  EXPECT_EQ(heap().blocks().size(), blocks);
}

}  // namespace

}  // namespace cppc::test
