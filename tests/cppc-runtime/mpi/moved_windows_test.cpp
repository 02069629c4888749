/// A rank with windows goes on in another process, again and again: what was put into them is there, what the program
/// puts there afterwards arrives, in the epochs in which it was.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "program.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = MOVED_RANK;

namespace {

/// The program's windows. `fenced` shows memory[0..8), in one epoch of fences after the other; `locked` memory[8..16),
/// locked by everybody all the time; `towards` memory[16..24), with a lock on the next process; `allocated` its own,
/// of the processes in reverse order.
struct Held {
  MPI_Win fenced, locked, towards, allocated;
};

template <class Visit>
void each_window(Held& held, Visit visit) {
  for (MPI_Win* win : {&held.fenced, &held.locked, &held.towards, &held.allocated}) visit(win);
}

int me() { return rank_in(MPI_COMM_WORLD); }
int after() { return (me() + 1) % size_of(MPI_COMM_WORLD); }
int before() { return (me() + size_of(MPI_COMM_WORLD) - 1) % size_of(MPI_COMM_WORLD); }

MPI_Win over_memory(int first) {
  MPI_Win win;
  MPI_Win_create(&memory[static_cast<std::size_t>(first)], 8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &win);
  return win;
}

Held make_held() {
  Held held{.fenced = over_memory(0), .locked = over_memory(8), .towards = over_memory(16), .allocated = MPI_WIN_NULL};
  MPI_Win_fence(0, held.fenced);
  MPI_Win_lock_all(0, held.locked);
  MPI_Win_lock(MPI_LOCK_SHARED, after(), 0, held.towards);
  MPI_Win_set_name(held.towards, "towards");
  MPI_Win_set_errhandler(held.towards, MPI_ERRORS_RETURN);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me(), &reversed);
  int* base = nullptr;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, reversed, static_cast<void*>(&base), &held.allocated);
  MPI_Comm_free(&reversed);
  std::memset(base, 0, 8 * sizeof(int));
  return held;
}

int* base_of(MPI_Win win) {
  int* base = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, static_cast<void*>(&base), &found);
  return found != 0 ? base : nullptr;
}

/// Everybody adds to the next process's windows what the round says.
void add(const Held& held, int round) {
  const int more = 10 * round + me();
  const int mirrored = size_of(MPI_COMM_WORLD) - 1 - after();
  for (const auto& [win, target] : {std::pair{held.fenced, after()}, {held.locked, after()}, {held.towards, after()}})
    MPI_Accumulate(&more, 1, MPI_INT, target, round, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, held.fenced);
  MPI_Win_flush(after(), held.locked);
  MPI_Win_flush(after(), held.towards);
  MPI_Win_fence(0, held.allocated);
  MPI_Accumulate(&more, 1, MPI_INT, mirrored, round, 1, MPI_INT, MPI_SUM, held.allocated);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, held.allocated);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(held.locked);
}

void expect_added(const Held& held, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const int expected = 10 * round + before();
    const auto cell = static_cast<std::size_t>(round);
    EXPECT_EQ(memory[cell], expected);
    EXPECT_EQ(memory[8 + cell], expected);
    EXPECT_EQ(memory[16 + cell], expected);
    EXPECT_EQ(base_of(held.allocated)[round], expected);
  }
  EXPECT_EQ(base_of(held.locked), &memory[8]);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Win_get_name(held.towards, name, &length);
  EXPECT_STREQ(name, "towards");
  MPI_Errhandler handler;
  MPI_Win_get_errhandler(held.towards, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_RETURN);
}

std::vector<std::byte> save(Held& held) {
  ByteWriter writer;
  each_window(held, [&](MPI_Win* win) { writer.u64(handles::encode(CPPC_MPI_WIN, win).value()); });
  ByteWriter mpi_part;
  EXPECT_EQ(mpi_state::serialize(mpi_part), CPPC_OK);
  writer.block(mpi_part.bytes());
  writer.block(std::as_bytes(std::span(memory)));
  save_heap(writer);
  return std::move(writer).take();
}

void load(const std::vector<std::byte>& state, Held& held) {
  ByteReader reader(state);
  each_window(held, [&](MPI_Win* win) { EXPECT_TRUE(handles::decode(CPPC_MPI_WIN, reader.u64(), win)); });
  ByteReader mpi_part(reader.block());
  EXPECT_EQ(mpi_state::restore(mpi_part), CPPC_OK);
  const auto contents = reader.block();
  std::memcpy(memory.data(), contents.data(), contents.size());
  load_heap(reader);
}

/// Moves `moved_rank` into the process outside, as an extension does.
void move(Held& held) {
  const bool enters = outside();
  const bool leaves = !enters && me() == moved_rank;
  const auto state = hand_over(leaves ? save(held) : std::vector<std::byte>{});
  swap();
  const MPI_Comm world = next_world();
  if (leaves) {
    mpi_state::abandon();
    memory.fill(-1);
    return;
  }
  if (enters) load(state, held);
  ASSERT_EQ(mpi_state::rebuild(world), CPPC_OK);
}

TEST(MovedWindows, GoOnAgainAndAgain) {
  Held held{};
  if (!outside()) {
    held = make_held();
    MPI_Barrier(MPI_COMM_WORLD);
    add(held, 0);
  }
  for (int round = 1; round < 6; ++round) {
    move(held);
    if (outside()) continue;
    expect_added(held, round);
    add(held, round);
    expect_added(held, round + 1);
  }
  if (outside()) return;
  MPI_Win_unlock(after(), held.towards);
  MPI_Win_unlock_all(held.locked);
  each_window(held, [](MPI_Win* win) { MPI_Win_free(win); });
}

}  // namespace

}  // namespace cppc::test
