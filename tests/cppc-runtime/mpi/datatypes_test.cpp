/// Datatypes, operations, info objects and error handlers that go on in another process, under the same handles: here,
/// in the same one, in place of those that are there.
#include "mpi/datatypes.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "handles.hpp"
#include "mpi/error_handlers.hpp"
#include "mpi/infos.hpp"
#include "mpi/operations.hpp"
#include "program.hpp"
#include "test_world.hpp"

// Of MPI 1.
#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct
extern "C" {
int MPI_Type_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);
int MPI_Type_hindexed(int, int*, MPI_Aint*, MPI_Datatype, MPI_Datatype*);
int MPI_Type_struct(int, int*, MPI_Aint*, MPI_Datatype*, MPI_Datatype*);
}

namespace cppc::test {

const int moved_rank = -1;

namespace {

/// What there is goes on in a process that takes over the state of this one. The handle, by its value, stands for the
/// object there: the real one is another.
template <class Handle>
void take_over(cppc_kind kind, Handle handle) {
  ByteWriter writer;
  const auto stored = handles::encode(kind, &handle);
  const Handle real = mpi::real(handle);
  EXPECT_NE(real, handle);
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(mpi_state::restore(reader), CPPC_OK);
  EXPECT_NE(mpi::real(handle), real);
  Handle decoded{};
  EXPECT_TRUE(handles::decode(kind, stored.value(), &decoded));
  EXPECT_EQ(decoded, handle);
}

/// What one element of `type` takes out of a buffer.
std::vector<char> packed(MPI_Datatype type) {
  std::array<unsigned char, 8192> buffer{};
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<unsigned char>(i * 7 + i / 256);
  std::vector<char> out(buffer.size());
  int position = 0;
  MPI_Pack(&buffer[2048], 1, type, out.data(), static_cast<int>(out.size()), &position, MPI_COMM_SELF);
  out.resize(static_cast<std::size_t>(position));
  return out;
}

struct Looks {
  MPI_Aint lb, extent;
  std::vector<char> packed;
  std::array<char, MPI_MAX_OBJECT_NAME> name;

  explicit Looks(MPI_Datatype type) : packed(test::packed(type)), name{} {
    MPI_Type_get_extent(type, &lb, &extent);
    int length;
    MPI_Type_get_name(type, name.data(), &length);
  }
  bool operator==(const Looks&) const = default;
};

struct Made {
  const char* by;
  std::function<int(MPI_Datatype*)> make;
};

std::array<int, 3> lengths{2, 0, 3};
std::array<int, 3> places{1, 9, 20};
std::array<MPI_Aint, 3> bytes{-16, 8, 400};
std::array<MPI_Datatype, 3> types{MPI_DOUBLE, MPI_INT, MPI_SHORT};
const std::array<int, 2> sizes{8, 6}, subsizes{3, 2}, starts{4, 1}, cells{2, 1};
const std::array<int, 2> distribs{MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
const std::array<int, 2> dargs{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};

const std::vector<Made> constructors{
    {"contiguous", [](auto* t) { return MPI_Type_contiguous(5, MPI_LONG, t); }},
    {"vector", [](auto* t) { return MPI_Type_vector(4, 2, 3, MPI_FLOAT, t); }},
    {"hvector", [](auto* t) { return MPI_Type_create_hvector(4, 2, 40, MPI_FLOAT, t); }},
    {"indexed", [](auto* t) { return MPI_Type_indexed(3, lengths.data(), places.data(), MPI_INT, t); }},
    {"hindexed", [](auto* t) { return MPI_Type_create_hindexed(3, lengths.data(), bytes.data(), MPI_INT, t); }},
    {"indexed_block", [](auto* t) { return MPI_Type_create_indexed_block(3, 2, places.data(), MPI_INT, t); }},
    {"hindexed_block", [](auto* t) { return MPI_Type_create_hindexed_block(3, 2, bytes.data(), MPI_INT, t); }},
    {"struct", [](auto* t) { return MPI_Type_create_struct(3, lengths.data(), bytes.data(), types.data(), t); }},
    {"subarray",
     [](auto* t) {
       return MPI_Type_create_subarray(2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN, MPI_INT, t);
     }},
    {"darray",
     [](auto* t) {
       return MPI_Type_create_darray(2, 1, 2, sizes.data(), distribs.data(), dargs.data(), cells.data(), MPI_ORDER_C,
                                     MPI_INT, t);
     }},
    {"resized", [](auto* t) { return MPI_Type_create_resized(MPI_INT, -8, 64, t); }},
    {"dup", [](auto* t) { return MPI_Type_dup(MPI_DOUBLE_INT, t); }},
    {"MPI-1 hvector", [](auto* t) { return MPI_Type_hvector(4, 2, 40, MPI_FLOAT, t); }},
    {"MPI-1 hindexed", [](auto* t) { return MPI_Type_hindexed(3, lengths.data(), bytes.data(), MPI_INT, t); }},
    {"MPI-1 struct", [](auto* t) { return MPI_Type_struct(3, lengths.data(), bytes.data(), types.data(), t); }},
};

TEST(Datatypes, EveryConstructorIsRestored) {
  for (const auto& [by, make] : constructors) {
    SCOPED_TRACE(by);
    MPI_Datatype type;
    ASSERT_EQ(make(&type), MPI_SUCCESS);
    MPI_Type_commit(&type);
    MPI_Type_set_name(type, by);
    const Looks before(type);
    EXPECT_FALSE(before.packed.empty());
    take_over(CPPC_MPI_DATATYPE, type);
    EXPECT_EQ(before, Looks(type));
    MPI_Type_free(&type);
  }
}

TEST(Datatypes, MadeFromOthersThatAreFreed) {
  MPI_Datatype column, padded, record;
  MPI_Type_vector(6, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &padded);
  MPI_Type_free(&column);
  const std::array<int, 2> one{1, 2};
  const std::array<MPI_Aint, 2> where{0, 256};
  const std::array<MPI_Datatype, 2> members{padded, padded};
  MPI_Type_create_struct(2, one.data(), where.data(), members.data(), &record);
  MPI_Type_free(&padded);
  MPI_Type_commit(&record);
  const Looks before(record);
  for (int times = 0; times < 2; ++times) {
    take_over(CPPC_MPI_DATATYPE, record);
    EXPECT_EQ(before, Looks(record));
  }
  MPI_Type_free(&record);
}

/// What the image says of datatypes.
std::size_t remembered() {
  ByteWriter writer;
  EXPECT_EQ(mpi::datatypes().write(writer), CPPC_OK);
  ByteReader reader(writer.bytes());
  return mpi::Datatypes::read(reader).size();
}

TEST(Datatypes, ThatAreFreedAreForgottenWithTheirDescendants) {
  const std::size_t before = remembered();
  MPI_Datatype inner, outer;
  MPI_Type_contiguous(2, MPI_INT, &inner);
  MPI_Type_contiguous(3, inner, &outer);
  EXPECT_EQ(remembered(), before + 2);
  MPI_Type_free(&inner);
  EXPECT_EQ(remembered(), before + 2);
  MPI_Type_free(&outer);
  EXPECT_EQ(remembered(), before);
}

TEST(Datatypes, GivenByMpi) {
  MPI_Datatype inner, outer, given;
  MPI_Type_contiguous(2, MPI_INT, &inner);
  MPI_Type_contiguous(3, inner, &outer);
  int number;
  MPI_Type_get_contents(outer, 1, 0, 1, &number, nullptr, &given);
  MPI_Type_free(&inner);
  MPI_Type_free(&outer);
  MPI_Type_commit(&given);
  const Looks before(given);
  take_over(CPPC_MPI_DATATYPE, given);
  EXPECT_EQ(before, Looks(given));
  MPI_Type_free(&given);
}

TEST(Datatypes, ThatAreFreedGiveTheirHandlesBack) {
  MPI_Datatype first, second;
  MPI_Type_contiguous(2, MPI_INT, &first);
  const MPI_Datatype handle = first;
  MPI_Type_free(&first);
  MPI_Type_contiguous(3, MPI_INT, &second);
  EXPECT_EQ(second, handle);
  MPI_Type_free(&second);
}

TEST(Datatypes, OfFortranAreTheSameWhenAskedForAgain) {
  MPI_Datatype first, second;
  MPI_Type_create_f90_real(15, 307, &first);
  MPI_Type_create_f90_real(15, 307, &second);
  EXPECT_EQ(first, second);
  const Looks before(first);
  ByteWriter writer;
  ASSERT_EQ(mpi_state::serialize(writer), CPPC_OK);
  ByteReader reader(writer.bytes());
  ASSERT_EQ(mpi_state::restore(reader), CPPC_OK);
  EXPECT_EQ(before, Looks(first));
}

TEST(Datatypes, WithAddressesAreRefused) {
  static int here[4];
  MPI_Aint address;
  MPI_Get_address(here, &address);
  const int length = 4;
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED);
  MPI_Type_free(&type);
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
}

MPI_Datatype seen = MPI_DATATYPE_NULL;

void take_last(void* in, void* inout, int* length, MPI_Datatype* type) {
  seen = *type;
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] = static_cast<int*>(in)[i] * 10;
}

TEST(Operations, AreMadeFromTheFunctionOfTheSameName) {
  MPI_Op op;
  MPI_Op_create(take_last, 0, &op);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED) << "its function has no name";
  declare("take_last", take_last);
  take_over(CPPC_MPI_OP, op);
  int commutes = 1, in = 4, inout = 1;
  MPI_Op_commutative(op, &commutes);
  EXPECT_FALSE(commutes);
  MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
  EXPECT_EQ(inout, 40);
  EXPECT_EQ(seen, MPI_INT);
  MPI_Op_free(&op);
}

TEST(Operations, GetTheDatatypeThatTheProgramKnows) {
  MPI_Op op;
  MPI_Op_create(take_last, 0, &op);
  MPI_Datatype one;
  MPI_Type_contiguous(1, MPI_INT, &one);
  MPI_Type_commit(&one);
  int in = 4, inout = 1;
  MPI_Allreduce(&in, &inout, 1, one, op, MPI_COMM_WORLD);
  MPI_Reduce_local(&in, &inout, 1, one, op);
  EXPECT_EQ(seen, one);
  MPI_Type_free(&one);
  MPI_Op_free(&op);
}

TEST(InfoObjects, GoOnUnderTheirHandles) {
  MPI_Info info, copy;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  take_over(CPPC_MPI_INFO, info);
  MPI_Info_dup(info, &copy);
  std::array<char, 16> value{};
  int found = 0;
  MPI_Info_get(copy, "key", 15, value.data(), &found);
  EXPECT_TRUE(found);
  EXPECT_STREQ(value.data(), "value");
  for (MPI_Info* one : {&info, &copy}) {
    MPI_Info_free(one);
    EXPECT_EQ(*one, MPI_INFO_NULL);
  }
}

void ignore_error(MPI_Comm*, int*, ...) {}

TEST(ErrorHandlers, GoOnUnderTheirHandlesAsOftenAsTheyWereGiven) {
  declare("ignore_error", ignore_error);
  MPI_Errhandler handler, given;
  MPI_Comm_create_errhandler(ignore_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  take_over(CPPC_MPI_ERRHANDLER, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &given);
  EXPECT_EQ(given, handler);
  MPI_Errhandler_free(&handler);
  EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
  take_over(CPPC_MPI_ERRHANDLER, given);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&given);
}

}  // namespace

}  // namespace cppc::test
