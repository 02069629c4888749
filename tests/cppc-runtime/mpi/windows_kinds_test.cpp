/// Windows of every kind in another world: their attributes, their memory and their handles.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "heap.hpp"
#include "windows_fixture.hpp"

namespace cppc::test {
namespace {

template <class Value>
Value* attribute(MPI_Win win, int keyval) {
  Value* value = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, keyval, static_cast<void*>(&value), &found);
  return found != 0 ? value : nullptr;
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
  if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "there is nobody to share with";
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

TEST_F(Windows, WithMemoryThatNobodySharesAreMadeAnew) {
  int* own = nullptr;
  MPI_Win alone;
  ASSERT_EQ(
      MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, static_cast<void*>(&own), &alone),
      MPI_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    *own = 10 * me + round;
    rebuild();
    int* same = nullptr;
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(alone, 0, &bytes, &unit, static_cast<void*>(&same));
    EXPECT_EQ(same, own);
    EXPECT_EQ(bytes, static_cast<MPI_Aint>(sizeof(int)));
    EXPECT_EQ(*attribute<int>(alone, MPI_WIN_CREATE_FLAVOR), MPI_WIN_FLAVOR_SHARED);
    EXPECT_EQ(*own, 10 * me + round);
  }
  ByteWriter good;
  EXPECT_EQ(mpi_state::serialize(good), CPPC_OK);
  MPI_Win_free(&alone);
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
