/// A rank that goes on in another process: its MPI part leaves as bytes and enters there.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "program.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = MOVED_RANK;

namespace {

/// What MPI holds for the program besides communicators, all of it used in every round.
struct Held {
  MPI_Datatype pair;
  MPI_Op last_digit;
  MPI_Group all;
  std::array<MPI_Request, 2> ring;  ///< a persistent receive into memory[0], and a send of memory[2]
};

void last_digit_of_sum(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) {
    int& sum = static_cast<int*>(inout)[i];
    sum = (sum + static_cast<int*>(in)[i]) % 10;
  }
}

Held make_held() {
  Held held;
  MPI_Datatype freed;
  MPI_Type_vector(2, 1, 4, MPI_INT, &freed);
  MPI_Type_create_resized(freed, 0, sizeof(int), &held.pair);
  MPI_Type_free(&freed);
  MPI_Type_commit(&held.pair);
  MPI_Op_create(last_digit_of_sum, 1, &held.last_digit);
  MPI_Comm_group(MPI_COMM_WORLD, &held.all);
  const int size = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);
  MPI_Recv_init(&memory[0], 1, held.pair, (me + size - 1) % size, 5, MPI_COMM_WORLD, &held.ring[0]);
  MPI_Send_init(&memory[2], 1, held.pair, (me + 1) % size, 5, MPI_COMM_WORLD, &held.ring[1]);
  return held;
}

void expect_sound(Held& held) {
  const int size = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD), before = (me + size - 1) % size;
  memory = {};
  memory[2] = me;
  memory[6] = 10 * me;
  MPI_Startall(2, held.ring.data());
  MPI_Waitall(2, held.ring.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(memory[0], before);
  EXPECT_EQ(memory[4], 10 * before);
  const int seven = 7;
  int sum = 0, group_rank = -1;
  MPI_Allreduce(&seven, &sum, 1, MPI_INT, held.last_digit, MPI_COMM_WORLD);
  EXPECT_EQ(sum, 7 * size % 10);
  MPI_Group_rank(held.all, &group_rank);
  EXPECT_EQ(group_rank, me);
  MPI_Comm created;
  MPI_Comm_create(MPI_COMM_WORLD, held.all, &created);
  EXPECT_EQ(rank_in(created), me);
  MPI_Comm_free(&created);
}

void free_held(Held& held) {
  for (MPI_Request& request : held.ring) MPI_Request_free(&request);
  MPI_Group_free(&held.all);
  MPI_Op_free(&held.last_digit);
  MPI_Type_free(&held.pair);
}

/// Calls visit(kind, handle) for each.
template <class Visit>
void each_handle(Held& held, Visit visit) {
  visit(CPPC_MPI_DATATYPE, &held.pair);
  visit(CPPC_MPI_OP, &held.last_digit);
  visit(CPPC_MPI_GROUP, &held.all);
  for (MPI_Request& request : held.ring) visit(CPPC_MPI_REQUEST, &request);
}

/// What a program would have in its state: communicators and their expected members, other handles, and the heap, as
/// bytes.
std::vector<std::byte> save(const std::vector<Known>& communicators, Held& held) {
  ByteWriter writer;
  each_handle(held, [&](cppc_kind kind, void* handle) { writer.u64(handles::encode(kind, handle).value()); });
  writer.u64(communicators.size());
  for (const Known& known : communicators) {
    writer.u64(handles::encode(CPPC_MPI_COMM, &known.comm).value());
    writer.text(known.name);
    writer.block(std::as_bytes(std::span(known.members)));
  }
  ByteWriter mpi_part;
  EXPECT_EQ(mpi_state::serialize(mpi_part), CPPC_OK);
  writer.block(mpi_part.bytes());
  save_heap(writer);
  return std::move(writer).take();
}

std::vector<Known> load(const std::vector<std::byte>& state, Held& held) {
  ByteReader reader(state);
  std::vector<std::uint64_t> stored_handles;
  each_handle(held, [&](cppc_kind, void*) { stored_handles.push_back(reader.u64()); });
  std::vector<Known> communicators(reader.u64());
  std::vector<std::uint64_t> stored;
  for (Known& known : communicators) {
    stored.push_back(reader.u64());
    known.name = reader.text();
    const auto members = reader.block();
    known.members.resize(members.size() / sizeof(int));
    std::memcpy(known.members.data(), members.data(), members.size());
  }
  ByteReader mpi_part(reader.block());
  EXPECT_EQ(mpi_state::restore(mpi_part), CPPC_OK);
  for (std::size_t i = 0; i < communicators.size(); ++i) {
    EXPECT_TRUE(handles::decode(CPPC_MPI_COMM, stored[i], &communicators[i].comm));
  }
  auto next = stored_handles.begin();
  each_handle(held, [&](cppc_kind kind, void* handle) { EXPECT_TRUE(handles::decode(kind, *next++, handle)); });
  load_heap(reader);
  return communicators;
}

/// Moves `moved_rank`, with its part of the program's memory, into the process outside, as an extension does.
void move(std::vector<Known>& communicators, Held& held) {
  const bool enters = outside();
  const bool leaves = !enters && rank_in(MPI_COMM_WORLD) == moved_rank;
  const auto state = hand_over(leaves ? save(communicators, held) : std::vector<std::byte>{});
  swap();
  const MPI_Comm world = next_world();
  if (leaves) {
    mpi_state::abandon();
    communicators.clear();
    return;
  }
  if (enters) communicators = load(state, held);
  ASSERT_EQ(mpi_state::rebuild(world), CPPC_OK);
}

void expect_settings_of_the_program() {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  EXPECT_STREQ(name, "everybody");
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  }
  MPI_Datatype none;
  EXPECT_NE(MPI_Type_contiguous(-1, MPI_INT, &none), MPI_SUCCESS);  // an error of no communicator goes to the world's
}

TEST(Replacement, KnowsItsRankBeforeItHasAWorld) {
  int launch_size;
  PMPI_Comm_size(MPI_COMM_WORLD, &launch_size);
  EXPECT_EQ(size_of(MPI_COMM_WORLD), launch_size - 1);
  if (outside()) {
    EXPECT_EQ(rank_in(MPI_COMM_WORLD), moved_rank);
    EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
  }
}

TEST(Replacement, NeedsAStateToRebuild) {
  if (!outside() || size_of(MPI_COMM_WORLD) != 1) return;  // else the world given here is wrong already
  MPI_Comm alone;
  PMPI_Comm_dup(MPI_COMM_SELF, &alone);
  EXPECT_EQ(mpi_state::rebuild(alone), CPPC_ERR_STATE);
  PMPI_Comm_free(&alone);
}

TEST(Replacement, TakesOverEverythingAgainAndAgain) {
  std::vector<Known> communicators;
  Held held{};
  declare("last_digit_of_sum", last_digit_of_sum);
  if (!outside()) {
    communicators = make_communicators();
    held = make_held();
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  for (int round = 0; round < 4; ++round) {
    move(communicators, held);
    if (outside()) continue;
    expect_sound(communicators);
    expect_sound(held);
    expect_settings_of_the_program();
    auto more = make_communicators();
    expect_sound(more);
    free_communicators(more);
  }
  if (outside()) return;
  free_held(held);
  free_communicators(communicators);
}

}  // namespace

}  // namespace cppc::test
