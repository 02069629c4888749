/// What a program holds of MPI when its state is kept by address: the words in its memory, here left as they are, mean
/// the same once MPI's part of the state has been restored. Nothing is declared, and no heap is tracked.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "address/program_time.hpp"
#include "address/shared_blocks.hpp"
#include "drained.hpp"
#include "handles.hpp"
#include "heap.hpp"
#include "memory_map.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

/// MPI's part of this process's state leaves it, and comes back as into a new one.
void restore_all() {
  drain_all();
  ByteWriter writer;
  ASSERT_EQ(mpi_state::serialize(writer), CPPC_OK);
  mpi_state::abandon();
  mpi::requests() = mpi::Requests();
  mpi::comms.manage(nullptr, mpi::comms.world_rank(), mpi::comms.world_size());
  ByteReader reader(writer.bytes());
  ASSERT_EQ(mpi_state::restore(reader), CPPC_OK);
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
}

class ByAddress : public testing::Test {
 protected:
  ByAddress() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    next_ = (rank_ + 1) % size_;
    before_ = (rank_ + size_ - 1) % size_;
  }
  int rank_ = 0, size_ = 0, next_ = 0, before_ = 0;
};

bool in_programs_time = false;

void add(void* in, void* inout, int* length, MPI_Datatype*) {
  in_programs_time = address::program_time;
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

MPI_Comm comm_with_error = MPI_COMM_NULL;

void note_error(MPI_Comm* comm, int*, ...) {
  in_programs_time = address::program_time;
  comm_with_error = *comm;
}

TEST_F(ByAddress, TheProcessIsOne) { ASSERT_TRUE(address::kept_by_address()); }

TEST_F(ByAddress, CommunicatorsAndGroupsGoOn) {
  MPI_Comm half;
  MPI_Group group;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, -rank_, &half);
  MPI_Comm_group(half, &group);
  int rank_before = -1, rank_after = -2, group_rank = -3;
  MPI_Comm_rank(half, &rank_before);
  restore_all();
  MPI_Comm_rank(half, &rank_after);
  MPI_Group_rank(group, &group_rank);
  EXPECT_EQ(rank_after, rank_before);
  EXPECT_EQ(group_rank, rank_before);
  MPI_Group_free(&group);
  MPI_Comm_free(&half);
}

TEST_F(ByAddress, DatatypesMayHaveAddresses) {
  static int numbers[2];
  const int length = 1;
  MPI_Aint address;
  MPI_Get_address(&numbers[1], &address);
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  restore_all();
  MPI_Sendrecv(&rank_, 1, MPI_INT, next_, 0, MPI_BOTTOM, 1, type, before_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(numbers[1], before_);
  MPI_Type_free(&type);
}

TEST_F(ByAddress, FunctionsNeedNoNamesAndRunInTheProgramsTime) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Errhandler handler, given;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  restore_all();
  int sum = 0;
  in_programs_time = false;
  MPI_Allreduce(&rank_, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Reduce_local(&rank_, &sum, 1, MPI_INT, op);
  EXPECT_EQ(sum, size_ * (size_ - 1) / 2 + rank_);
  EXPECT_TRUE(in_programs_time);
  in_programs_time = false;
  EXPECT_NE(MPI_Send(nullptr, 0, MPI_INT, size_, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_EQ(comm_with_error, MPI_COMM_WORLD);
  EXPECT_TRUE(in_programs_time);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &given);
  EXPECT_EQ(given, handler);
  MPI_Errhandler_free(&given);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Op_free(&op);
}

TEST_F(ByAddress, RequestsAndMatchedMessagesGoOn) {
  int in = -1, early = -1, matched = -1;
  MPI_Request persistent, posted, complete;
  MPI_Message message;
  MPI_Recv_init(&in, 1, MPI_INT, before_, 0, MPI_COMM_WORLD, &persistent);
  MPI_Irecv(&early, 1, MPI_INT, before_, 1, MPI_COMM_WORLD, &posted);
  MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &complete);
  MPI_Send(&rank_, 1, MPI_INT, next_, 2, MPI_COMM_WORLD);
  MPI_Mprobe(before_, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  const MPI_Request stale = complete;
  restore_all();
  MPI_Wait(&complete, MPI_STATUS_IGNORE);
  EXPECT_EQ(complete, MPI_REQUEST_NULL);
  EXPECT_EQ(mpi::requests().find(stale), nullptr);
  MPI_Mrecv(&matched, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  EXPECT_EQ(matched, before_);
  MPI_Start(&persistent);
  for (const int tag : {0, 1}) MPI_Send(&rank_, 1, MPI_INT, next_, tag, MPI_COMM_WORLD);
  std::array both{persistent, posted};
  MPI_Waitall(2, both.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(both, (std::array{persistent, MPI_REQUEST_NULL}));
  EXPECT_EQ(in, before_);
  EXPECT_EQ(early, before_);
  restore_all();
  EXPECT_EQ(mpi::requests().find(stale), nullptr);
  MPI_Request_free(&persistent);
}

int copy_next(MPI_Comm, int, void*, void* value, void* copy, int* copied) {
  in_programs_time = address::program_time;
  *static_cast<void**>(copy) = static_cast<int*>(value) + 1;
  *copied = 1;
  return MPI_SUCCESS;
}

TEST_F(ByAddress, AttributesGoOn) {
  static std::array<int, 2> values{1, 2};
  int key, found = 0;
  MPI_Comm_create_keyval(copy_next, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, values.data());
  int *limit = nullptr, *value = nullptr;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&limit), &found);
  ASSERT_TRUE(found);
  const int limit_before = *limit;
  restore_all();
  EXPECT_EQ(*limit, limit_before);
  in_programs_time = false;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  EXPECT_TRUE(in_programs_time);
  MPI_Comm_get_attr(copy, key, static_cast<void*>(&value), &found);
  EXPECT_TRUE(found);
  EXPECT_EQ(value, &values[1]);
  MPI_Comm_free(&copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

TEST_F(ByAddress, WindowsAndWhatMpiSaysOfThemGoOn) {
  int* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &win);
  *base = -1;
  MPI_Aint* bytes = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, MPI_WIN_SIZE, static_cast<void*>(&bytes), &found);
  restore_all();
  EXPECT_EQ(*bytes, static_cast<MPI_Aint>(sizeof(int)));
  MPI_Win_fence(0, win);
  MPI_Put(&rank_, 1, MPI_INT, next_, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  EXPECT_EQ(*base, before_);
  MPI_Win_free(&win);
}

TEST_F(ByAddress, TheAttachedBufferIsAttachedAgain) {
  std::vector<char> buffer(4096);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  drain_all();
  void* detached = nullptr;
  int size = 0;
  PMPI_Buffer_detach(static_cast<void*>(&detached), &size);  // as a new process has none
  restore_all();
  MPI_Bsend(&rank_, 1, MPI_INT, next_, 0, MPI_COMM_WORLD);
  int in = -1;
  MPI_Recv(&in, 1, MPI_INT, before_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT_EQ(in, before_);
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  EXPECT_EQ(detached, buffer.data());
}

/// Whether the system says that other processes see what is written there.
bool is_shared(const void* address) {
  const auto memory = MemoryMap::read();
  if (!memory) return false;
  const MemoryMap::Range* const range = memory->find(address);
  return range != nullptr && range->shared;
}

bool is_known_as_shared(const void* address) {
  return std::ranges::any_of(address::SharedBlocks::all(), [address](const address::SharedBlock& block) {
    return block.own.data() <= address && address < block.own.data() + block.own.size();
  });
}

TEST_F(ByAddress, WindowMemoryOfOneNodeIsSharedAndStaysWhereItIs) {
  constexpr std::size_t count = 3000;  // more than a page, and no multiple of one
  int* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(count * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &win);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(is_shared(base), size_ > 1) << "in round " << round;
    EXPECT_EQ(is_known_as_shared(base), size_ > 1) << "in round " << round;
    const int value = 100 * round + rank_;
    MPI_Win_fence(0, win);
    for (const std::size_t place : {std::size_t{0}, count - 1})
      MPI_Put(&value, 1, MPI_INT, next_, static_cast<MPI_Aint>(place), 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    base[1 + round] = value;
    int* shown = nullptr;
    int found = 0;
    drain_all();
    ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
    MPI_Win_get_attr(win, MPI_WIN_BASE, static_cast<void*>(&shown), &found);
    EXPECT_EQ(shown, base);
    EXPECT_EQ(base[0], 100 * round + before_);
    EXPECT_EQ(base[count - 1], 100 * round + before_);
    for (int earlier = 0; earlier <= round; ++earlier) EXPECT_EQ(base[1 + earlier], 100 * earlier + rank_);
  }
  MPI_Win_free(&win);
  EXPECT_FALSE(is_shared(base)) << "the memory is the heap's again";
  EXPECT_FALSE(is_known_as_shared(base));
}

TEST_F(ByAddress, WindowMemoryOfOneNodeMayBeOneRanksAlone) {
  int* base = nullptr;
  MPI_Win win;
  MPI_Win_allocate(rank_ == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base),
                   &win);
  for (int round = 0; round < 2; ++round) {
    const int one = 1;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    drain_all();
    ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
    if (rank_ == 0) {
      EXPECT_EQ(*base, (round + 1) * size_);
    }
  }
  MPI_Win_free(&win);
}

/// Whether all ranks go to one node.
bool together = false;

class SharedWindow : public ByAddress {
 protected:
  SharedWindow() {
    mpi_state::ask_about_members([](const int*, std::uint64_t) { return together ? 1 : 0; });
    MPI_Win_allocate_shared(kCount * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&own_),
                            &win_);
    own_[kCount - 1] = rank_;
    MPI_Win_fence(0, win_);
  }
  ~SharedWindow() override { MPI_Win_free(&win_); }
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  /// What this member sees of another one.
  [[nodiscard]] int* of(int member) const {
    MPI_Aint bytes = 0;
    int unit = 0;
    int* base = nullptr;
    MPI_Win_shared_query(win_, member, &bytes, &unit, static_cast<void*>(&base));
    return base;
  }

  static constexpr int kCount = 3000;
  int* own_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

TEST_F(SharedWindow, MovesWithAllOfItsMembers) {
  together = true;
  int* const others = of(next_);
  for (int round = 0; round < 2; ++round) {
    restore_all();
    EXPECT_EQ(of(next_), others);
    EXPECT_EQ(of(rank_), own_);
    EXPECT_EQ(others[kCount - 1], 100 * round + next_);
    MPI_Win_fence(0, win_);
    own_[kCount - 1] += 100;
    MPI_Win_fence(0, win_);
    EXPECT_EQ(others[kCount - 1], 100 * (round + 1) + next_);
  }
}

TEST_F(SharedWindow, IsRefusedWhenItsMembersPart) {
  together = false;
  drain_all();
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), size_ > 1 ? CPPC_ERR_UNSUPPORTED : CPPC_OK);
  mpi_state::resume();
}

TEST_F(SharedWindow, StaysAsItIsWhenOtherRanksMove) {
  const MPI_Win before = mpi::windows().real(win_);
  drain_all();
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
  if (size_ > 1) {
    EXPECT_EQ(mpi::windows().real(win_), before);
  }
  EXPECT_EQ(of(next_)[kCount - 1], next_);
}

TEST_F(SharedWindow, SaysWhoseMemoryIsShared) {
  std::array<int, 8> ranks{};
  EXPECT_EQ(mpi_state::sharers(ranks), size_ > 1 ? static_cast<std::uint64_t>(size_) : 0U);
  if (size_ > 1) {
    EXPECT_EQ(ranks[1], 1);
  }
  EXPECT_EQ(mpi_state::sharers(std::span(ranks).first(1)), size_ > 1 ? 1U : 0U);
}

TEST_F(ByAddress, GeneralizedRequestsRunInTheProgramsTime) {
  static int state;
  MPI_Request request;
  MPI_Grequest_start(
      [](void* given, MPI_Status* status) {
        in_programs_time = address::program_time && given == &state;
        MPI_Status_set_elements(status, MPI_INT, 0);
        return MPI_Status_set_cancelled(status, 0);
      },
      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, &state, &request);
  MPI_Grequest_complete(request);
  in_programs_time = false;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_TRUE(in_programs_time);
}

TEST_F(ByAddress, NothingIsInTheTrackedHeap) {
  void* memory = nullptr;
  MPI_Alloc_mem(100, MPI_INFO_NULL, static_cast<void*>(&memory));
  ASSERT_NE(memory, nullptr);
  std::memset(memory, 1, 100);
  EXPECT_TRUE(heap().blocks().empty());
  MPI_Free_mem(memory);
}

bool mpi_outside = false;

TEST_F(ByAddress, MpiWorksOutsideTheProgramsTime) {
  const address::InsideProgram program;
  int size = 0;
  MPI_Type_size(MPI_INT, &size);
  EXPECT_TRUE(mpi_outside);
  EXPECT_TRUE(address::program_time) << "again, after the call";
}

}  // namespace

}  // namespace cppc::test

/// In MPI's place.
extern "C" int PMPI_Type_size(MPI_Datatype, int* size) {
  cppc::test::mpi_outside = !cppc::address::program_time;
  *size = sizeof(int);
  return MPI_SUCCESS;
}
