/// A rank that goes on in another process: its MPI part leaves as bytes and enters there.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "communicator_set.hpp"
#include "drained.hpp"
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
  MPI_Comm bridge;                  ///< an intercommunicator, unless there is one process only
  MPI_Info info;
  MPI_Errhandler handler;  ///< of the duplicate `watched`
  MPI_Comm watched;
  std::array<MPI_Request, 2> posted;  ///< receives into memory[20] and memory[21]: the second has its message
};

int errors_seen = 0;
void count_errors(MPI_Comm*, int*, ...) { ++errors_seen; }

int copies_made = 0;
int copy_attribute(MPI_Comm, int, void* extra, void* value, void* copy, int* copied) {
  ++copies_made;
  EXPECT_EQ(extra, &memory[8]);
  EXPECT_EQ(value, &memory[9]);
  *static_cast<void**>(copy) = &memory[10];
  *copied = 1;
  return MPI_SUCCESS;
}

/// Keys are numbers: the program's own state.
struct Keys {
  int pointer, number;
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
  held.bridge = make_bridge();
  MPI_Info_create(&held.info);
  MPI_Info_set(held.info, "colour", "red");
  MPI_Info_set(held.info, "shade", "dark");
  MPI_Comm_create_errhandler(count_errors, &held.handler);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, held.info, &held.watched);
  MPI_Comm_set_errhandler(held.watched, held.handler);
  return held;
}

Keys make_attributes(const Held& held) {
  Keys keys;
  MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &keys.pointer, &memory[8]);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys.number, nullptr);
  MPI_Comm_set_attr(held.watched, keys.pointer, &memory[9]);
  MPI_Comm_set_attr(held.watched, keys.number, reinterpret_cast<void*>(77));
  return keys;
}

void expect_attributes(const Held& held, const Keys& keys) {
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(held.watched, keys.pointer, &value, &found);
  EXPECT_TRUE(found);
  EXPECT_EQ(value, &memory[9]);
  MPI_Comm copy;
  copies_made = 0;
  MPI_Comm_dup(held.watched, &copy);
  EXPECT_EQ(copies_made, 1);
  MPI_Comm_get_attr(copy, keys.pointer, &value, &found);
  EXPECT_EQ(value, &memory[10]);
  MPI_Comm_get_attr(copy, keys.number, &value, &found);
  EXPECT_EQ(value, reinterpret_cast<void*>(77));
  MPI_Comm_free(&copy);
}

void expect_info(const Held& held) {
  int keys = 0, found = 0;
  char value[16] = "";
  MPI_Info_get_nkeys(held.info, &keys);
  EXPECT_EQ(keys, 2);
  MPI_Info_get(held.info, "colour", sizeof value - 1, value, &found);
  EXPECT_TRUE(found);
  EXPECT_STREQ(value, "red");
}

void expect_error_handler(const Held& held) {
  MPI_Errhandler now;
  MPI_Comm_get_errhandler(held.watched, &now);
  EXPECT_EQ(now, held.handler);
  MPI_Errhandler_free(&now);
  const int before = errors_seen;
  MPI_Comm_call_errhandler(held.watched, MPI_ERR_OTHER);
  EXPECT_EQ(errors_seen, before + 1);
}

/// Before a move: receives, and messages to the next process of which nobody takes the last as yet.
void put_in_flight(Held& held) {
  const int size = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(&memory[static_cast<std::size_t>(20 + i)], 1, MPI_INT, (me + size - 1) % size, 50 + i, held.watched,
              &held.posted[static_cast<std::size_t>(i)]);
  for (const int tag : {51, 52}) {
    const int value = tag + me;
    MPI_Send(&value, 1, MPI_INT, (me + 1) % size, tag, held.watched);
  }
}

void expect_landed(Held& held) {
  const int size = size_of(MPI_COMM_WORLD), me = rank_in(MPI_COMM_WORLD), before = (me + size - 1) % size;
  const int value = 50 + me;
  MPI_Send(&value, 1, MPI_INT, (me + 1) % size, 50, held.watched);
  std::array<MPI_Status, 2> statuses;
  MPI_Waitall(2, held.posted.data(), statuses.data());
  EXPECT_EQ(memory[20], 50 + before);
  EXPECT_EQ(statuses[1].MPI_TAG, 51);
  EXPECT_EQ(statuses[1].MPI_SOURCE, before);
  int last = 0;
  MPI_Recv(&last, 1, MPI_INT, before, 52, held.watched, MPI_STATUS_IGNORE);
  EXPECT_EQ(last, 52 + before);
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
  expect_sound_bridge(held.bridge);
  expect_info(held);
  expect_error_handler(held);
}

void free_held(Held& held) {
  for (MPI_Request& request : held.ring) MPI_Request_free(&request);
  if (held.bridge != MPI_COMM_NULL) MPI_Comm_free(&held.bridge);
  MPI_Comm_free(&held.watched);
  MPI_Errhandler_free(&held.handler);
  MPI_Info_free(&held.info);
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
  for (MPI_Request& request : held.posted) visit(CPPC_MPI_REQUEST, &request);
  visit(CPPC_MPI_COMM, &held.bridge);
  visit(CPPC_MPI_COMM, &held.watched);
  visit(CPPC_MPI_INFO, &held.info);
  visit(CPPC_MPI_ERRHANDLER, &held.handler);
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
  Keys keys{1 << 20, (1 << 20) + 1};
  declare("last_digit_of_sum", last_digit_of_sum);
  declare("count_errors", count_errors);
  declare("copy_attribute", copy_attribute);
  if (!outside()) {
    communicators = make_communicators();
    held = make_held();
    const Keys made = make_attributes(held);
    EXPECT_EQ(made.pointer, keys.pointer);
    EXPECT_EQ(made.number, keys.number);
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  for (int round = 0; round < 4; ++round) {
    if (!outside()) {
      put_in_flight(held);
      drain_all();
    }
    move(communicators, held);
    if (outside()) continue;
    expect_landed(held);
    expect_sound(communicators);
    expect_sound(held);
    expect_attributes(held, keys);
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
