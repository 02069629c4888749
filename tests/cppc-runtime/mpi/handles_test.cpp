/// Handles in the program's objects, and the MPI part of the image, as bytes from outside.
#include "handles.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "communicator_set.hpp"
#include "mpi/attributes.hpp"
#include "mpi/clock.hpp"
#include "mpi/description.hpp"
#include "program.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

namespace {

template <class Handle>
void expect_carried_over(cppc_kind kind, const std::vector<Handle>& list) {
  for (const Handle& handle : list) {
    const auto stored = handles::encode(kind, &handle);
    ASSERT_TRUE(stored) << stored.error();
    Handle back;
    std::memset(static_cast<void*>(&back), 0x5a, sizeof back);
    ASSERT_TRUE(handles::decode(kind, *stored, &back));
    EXPECT_EQ(back, handle);
  }
}

template <class Handle>
void expect_refused(cppc_kind kind, Handle handle, const std::string& because) {
  const auto stored = handles::encode(kind, &handle);
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().find(because), std::string::npos) << stored.error();
}

TEST(Handles, Communicators) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  expect_carried_over<MPI_Comm>(CPPC_MPI_COMM, {MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL, dup, nullptr});
  MPI_Comm_free(&dup);
  int no_communicator;
  expect_refused(CPPC_MPI_COMM, reinterpret_cast<MPI_Comm>(&no_communicator), "no communicator");
}

TEST(Handles, Datatypes) {
  expect_carried_over<MPI_Datatype>(CPPC_MPI_DATATYPE, {nullptr,           MPI_DATATYPE_NULL,
                                                        MPI_CHAR,          MPI_INT,
                                                        MPI_UNSIGNED_LONG, MPI_LONG_LONG,
                                                        MPI_LONG_LONG_INT, MPI_DOUBLE,
                                                        MPI_BYTE,          MPI_PACKED,
                                                        MPI_UINT64_T,      MPI_C_COMPLEX,
                                                        MPI_C_BOOL,        MPI_AINT,
                                                        MPI_2INT,          MPI_DOUBLE_INT,
                                                        MPI_SHORT_INT,     MPI_CXX_DOUBLE_COMPLEX,
                                                        MPI_INTEGER,       MPI_DOUBLE_PRECISION});
  MPI_Datatype own;
  MPI_Type_contiguous(2, MPI_INT, &own);
  expect_carried_over<MPI_Datatype>(CPPC_MPI_DATATYPE, {own});
  MPI_Type_free(&own);
}

TEST(Handles, Operations) {
  expect_carried_over<MPI_Op>(
      CPPC_MPI_OP, {nullptr, MPI_OP_NULL, MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR,
                    MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP});
  MPI_Op own;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  expect_carried_over<MPI_Op>(CPPC_MPI_OP, {own});
  MPI_Op_free(&own);
}

TEST(Handles, Groups) {
  MPI_Group all, first;
  const int rank = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &first);
  expect_carried_over<MPI_Group>(CPPC_MPI_GROUP, {nullptr, MPI_GROUP_NULL, MPI_GROUP_EMPTY, all, first});
  MPI_Group_free(&all);
  MPI_Group_free(&first);
}

TEST(Handles, Windows) {
  MPI_Win win;
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  expect_carried_over<MPI_Win>(CPPC_MPI_WIN, {nullptr, MPI_WIN_NULL, win});
  MPI_Win_free(&win);
}

TEST(Handles, MatchedMessages) {
  MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Message message, none;
  MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &none, MPI_STATUS_IGNORE);
  expect_carried_over<MPI_Message>(CPPC_MPI_MESSAGE, {nullptr, MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC, message, none});
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_NOT_QUIET);  // it is MPI's, and has not been drained
  MPI_Mrecv(nullptr, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
  EXPECT_EQ(message, MPI_MESSAGE_NULL);
}

TEST(Handles, Requests) {
  MPI_Request persistent, other;
  MPI_Recv_init(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF, &persistent);
  expect_carried_over<MPI_Request>(CPPC_MPI_REQUEST, {nullptr, MPI_REQUEST_NULL, persistent});
  MPI_Start(&persistent);
  expect_carried_over<MPI_Request>(CPPC_MPI_REQUEST, {persistent});
  MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  expect_carried_over<MPI_Request>(CPPC_MPI_REQUEST, {persistent});
  MPI_Irecv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF, &other);
  expect_carried_over<MPI_Request>(CPPC_MPI_REQUEST, {other});
  MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_NOT_QUIET);  // it is active, and has not been drained
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
}

template <class Handle>
void expect_nothing_left(cppc_kind kind, Handle dangling, Handle nothing) {
  const auto stored = handles::encode(kind, &dangling);
  ASSERT_TRUE(stored) << stored.error();
  ASSERT_TRUE(handles::decode(kind, *stored, &dangling));
  EXPECT_EQ(dangling, nothing);
}

TEST(Handles, FreedHandlesAreInvalidToMpi) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  const MPI_Datatype freed_type = type;
  MPI_Type_free(&type);
  EXPECT_EQ(type, MPI_DATATYPE_NULL);
  EXPECT_EQ(MPI_Send(nullptr, 0, freed_type, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  MPI_Op op;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  const MPI_Op freed_op = op;
  MPI_Op_free(&op);
  EXPECT_EQ(op, MPI_OP_NULL);
  int one = 1, sum = 0;
  EXPECT_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, freed_op, MPI_COMM_WORLD), MPI_ERR_OP);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST(Handles, DanglingHandlesBecomeInvalid) {
  int no_datatype = 0;
  expect_nothing_left(CPPC_MPI_DATATYPE, reinterpret_cast<MPI_Datatype>(&no_datatype), MPI_DATATYPE_NULL);
  MPI_Request request;
  MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
  const MPI_Request completed = request;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_nothing_left(CPPC_MPI_REQUEST, completed, MPI_REQUEST_NULL);
}

TEST(Handles, NumbersThatStandForNothing) {
  void* field = nullptr;
  for (const cppc_kind kind : {CPPC_MPI_COMM, CPPC_MPI_DATATYPE, CPPC_MPI_OP, CPPC_MPI_GROUP, CPPC_MPI_REQUEST,
                               CPPC_FILE, CPPC_MPI_FILE, CPPC_MPI_WIN, CPPC_MPI_MESSAGE}) {
    for (const std::uint64_t stored : {std::uint64_t{1} << 33, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      EXPECT_FALSE(handles::decode(kind, stored, &field)) << kind << ' ' << stored;
    }
  }
  EXPECT_FALSE(handles::encode(CPPC_BYTES, &field));
  EXPECT_FALSE(handles::decode(CPPC_POINTER, 0, &field));
  EXPECT_EQ(field, nullptr);
}

void no_operation(void*, void*, int*, MPI_Datatype*) {}

/// Some that MPI holds for the program.
struct Objects {
  Objects() {
    const std::array<int, 2> lengths{1, 2};
    const std::array<MPI_Aint, 2> displs{0, 8};
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &column);
    const std::array<MPI_Datatype, 2> types{MPI_INT, column};
    MPI_Type_create_struct(2, lengths.data(), displs.data(), types.data(), &record);
    MPI_Type_free(&column);
    MPI_Type_commit(&record);
    declare("no_operation", no_operation);
    MPI_Op_create(no_operation, 1, &op);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Recv_init(nullptr, 0, record, 0, 0, MPI_COMM_SELF, &request);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects() {
    MPI_Request_free(&request);
    MPI_Group_free(&group);
    MPI_Op_free(&op);
    MPI_Type_free(&record);
  }

  MPI_Datatype column, record;
  MPI_Op op;
  MPI_Group group;
  MPI_Request request;
};

std::vector<std::byte> image() {
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
  return std::move(writer).take();
}

cppc_status restore(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  return mpi_state::restore(reader);
}

TEST(Image, IsRestoredWholeOnly) {
  auto communicators = make_communicators();
  Objects objects;
  auto bytes = image();
  EXPECT_EQ(restore(bytes), CPPC_OK);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_EQ(restore(std::span(bytes).first(length)), CPPC_ERR_IMAGE) << length;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(restore(bytes), CPPC_ERR_IMAGE);
  free_communicators(communicators);
}

TEST(Image, ImageWithAnyByteChangedIsRefusedOrHasAnotherMeaning) {
  auto communicators = make_communicators();
  Objects objects;
  auto bytes = image();
  int refused = 0;
  for (std::byte& byte : bytes) {
    for (const int flipped : {0x01, 0x80, 0xff}) {
      const std::byte good = byte;
      byte ^= static_cast<std::byte>(flipped);
      const cppc_status status = restore(bytes);
      EXPECT_TRUE(status == CPPC_OK || status == CPPC_ERR_IMAGE || status == CPPC_ERR_MPI ||
                  status == CPPC_ERR_MISMATCH || status == CPPC_ERR_UNSUPPORTED);
      refused += status == CPPC_ERR_IMAGE;
      byte = good;
    }
  }
  EXPECT_GT(refused, 0);
  free_communicators(communicators);
}

/// Whether a communicator with these members and this topology can be read as one of rank 1 in a world of 4.
bool readable(const std::vector<int>& members, const mpi::Topology& topology, const std::vector<int>& remote = {}) {
  const mpi::Description description{
      .settings = mpi::Settings::of(MPI_COMM_WORLD), .members = members, .remote = remote, .topology = topology};
  ByteWriter writer;
  description.write(writer);
  ByteReader reader(writer.bytes());
  mpi::Description::read(reader, 1, 4);
  return reader.at_end();
}

TEST(Image, OfAGraphMakesSense) {
  using mpi::DistributedGraph, mpi::Graph;
  const std::vector<int> pair{1, 2};
  EXPECT_TRUE(readable(pair, Graph{.index = {1, 2}, .edges = {1, 0}}));
  EXPECT_FALSE(readable(pair, Graph{.index = {1, 2}, .edges = {1, 2}})) << "no such rank";
  EXPECT_FALSE(readable(pair, Graph{.index = {1, 3}, .edges = {1, 0}})) << "too few edges";
  EXPECT_FALSE(readable(pair, Graph{.index = {2, 1}, .edges = {1}})) << "not ascending";
  EXPECT_FALSE(readable(pair, Graph{.index = {1}, .edges = {0}})) << "not of every process";
  EXPECT_TRUE(readable(pair, DistributedGraph{.sources = {1}}));
  EXPECT_TRUE(readable(pair, DistributedGraph{.weighted = true, .sources = {1}, .source_weights = {7}}));
  EXPECT_FALSE(readable(pair, DistributedGraph{.weighted = true, .sources = {1}})) << "no weight";
  EXPECT_FALSE(readable(pair, DistributedGraph{.destinations = {2}})) << "no such rank";
}

TEST(Image, OfAnIntercommunicatorMakesSense) {
  EXPECT_TRUE(readable({1, 2}, mpi::Topology{}, {3, 0}));
  EXPECT_FALSE(readable({1, 2}, mpi::Topology{}, {3, 2})) << "on both sides";
  EXPECT_FALSE(readable({1, 2}, mpi::Topology{}, {4})) << "no such rank";
}

TEST(Image, OfACommunicatorMakesSense) {
  const auto readable = [](const std::vector<int>& members, const std::vector<int>& dims,
                           const std::vector<int>& periods) {
    return cppc::test::readable(members, mpi::Cartesian{.dims = dims, .periods = periods});
  };
  EXPECT_TRUE(readable({3, 1}, {2, 1}, {0, 1}));
  EXPECT_TRUE(readable({1}, {}, {}));
  EXPECT_FALSE(readable({}, {}, {})) << "no members";
  EXPECT_FALSE(readable({3, 0}, {2}, {0})) << "not this process";
  EXPECT_FALSE(readable({1, 1}, {2}, {0})) << "a process twice";
  EXPECT_FALSE(readable({1, 4}, {2}, {0})) << "beyond the world";
  EXPECT_FALSE(readable({1, -1}, {2}, {0})) << "no rank";
  EXPECT_FALSE(readable({3, 1}, {3}, {0})) << "more places than members";
  EXPECT_FALSE(readable({3, 1}, {2, 0}, {0, 0})) << "no places";
  EXPECT_FALSE(readable({3, 1}, {2}, {0, 0})) << "more periods than dimensions";
}

std::int64_t nanoseconds_now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

void read_clock(double time, std::int64_t written) {
  ByteWriter writer;
  writer.u64(std::bit_cast<std::uint64_t>(time));
  writer.i64(written);
  ByteReader reader(writer.bytes());
  mpi::read_clock(reader);
}

TEST(Clock, GoesOnFromTheTimeOfTheProcessBefore) {
  const double before = PMPI_Wtime() + 1000;
  read_clock(before, nanoseconds_now());
  EXPECT_GE(MPI_Wtime(), before);
}

TEST(Clock, CountsTheTimeOnTheWay) {
  const std::int64_t a_minute_ago = nanoseconds_now() - 60'000'000'000;
  read_clock(5000, a_minute_ago);
  EXPECT_GE(MPI_Wtime(), 5060);
}

TEST(Clock, DoesNotRunBackwardsWhenTheOtherNodesClockIsAhead) {
  read_clock(5000, nanoseconds_now() + 3'600'000'000'000);
  EXPECT_GE(MPI_Wtime(), 5000);
  ByteWriter writer;
  mpi::write_clock(writer);
  ByteReader reader(writer.bytes());
  EXPECT_GE(std::bit_cast<double>(reader.u64()), 5000);
}

TEST(Launch, IsTheOneOfTheProcessBefore) {
  ByteWriter writer;
  writer.u8(1);
  writer.i32(17);  // MPI_APPNUM
  writer.u8(0);
  writer.i32(0);  // MPI_UNIVERSE_SIZE
  writer.u64(1);
  writer.u64(7);  // a duplicate of the world
  ByteReader reader(writer.bytes());
  mpi::read_launch(reader);
  int* value = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
  ASSERT_TRUE(flag);
  EXPECT_EQ(*value, 17);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
  EXPECT_FALSE(flag);
  ByteWriter again;
  mpi::write_launch(again);
  EXPECT_TRUE(std::ranges::equal(again.bytes(), writer.bytes()));
}

}  // namespace

}  // namespace cppc::test
