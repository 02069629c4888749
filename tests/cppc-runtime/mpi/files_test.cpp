/// Files of MPI that are open while a rank goes on in another process.
#include "mpi/files.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "files_fixture.hpp"

namespace cppc::test {

const int moved_rank = MOVED_RANK;

namespace {

namespace fs = std::filesystem;

TEST_F(MpiFiles, AreWhatTheyWere) {
  std::array<MPI_File, 1> file{};
  const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE;
  if (first_) std::ofstream(path("settings")) << "12345678";
  barrier();
  if (!outside()) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "access_style", "write_once");
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, path("settings").c_str(), mode, info, file.data()), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_File_set_atomicity(file[0], 1);
    MPI_File_set_errhandler(file[0], MPI_ERRORS_ARE_FATAL);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  }
  for (int i = 0; i < 3; ++i) move_rank(file);
  if (!outside()) {
    MPI_Offset position = 0, shared = 0;
    MPI_File_get_position(file[0], &position);
    MPI_File_get_position_shared(file[0], &shared);
    EXPECT_EQ(position, 8);
    EXPECT_EQ(shared, 8);
    int atomic = 0, now = 0, found = 0;
    MPI_File_get_atomicity(file[0], &atomic);
    EXPECT_TRUE(atomic);
    MPI_File_get_amode(file[0], &now);
    EXPECT_EQ(now, mode);
    for (const MPI_File one : {file[0], MPI_FILE_NULL}) {
      MPI_Errhandler handler;
      MPI_File_get_errhandler(one, &handler);
      EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
      MPI_File_set_errhandler(one, MPI_ERRORS_RETURN);
    }
    MPI_Info info;
    std::array<char, 32> style{};
    MPI_File_get_info(file[0], &info);
    MPI_Info_get(info, "access_style", static_cast<int>(style.size()) - 1, style.data(), &found);
    EXPECT_STREQ(style.data(), "write_once");
    MPI_Info_free(&info);
    MPI_Group group;
    int rank = -1;
    MPI_File_get_group(file[0], &group);
    MPI_Group_rank(group, &rank);
    EXPECT_EQ(rank, me());
    MPI_Group_free(&group);
    EXPECT_TRUE(fs::exists(path("settings")));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_File_close(file.data()), MPI_SUCCESS);
    EXPECT_FALSE(fs::exists(path("settings")));
  }
}

TEST_F(MpiFiles, HaveTheirView) {
  std::array<MPI_File, 1> file{};
  if (!outside()) {
    file[0] = open("view", update);
    set_strided_view(file[0]);
  }
  move_rank(file);
  if (outside()) return;
  MPI_Offset displacement = 0, offset = 0;
  MPI_Datatype etype, filetype;
  std::array<char, MPI_MAX_DATAREP_STRING> representation{};
  MPI_File_get_view(file[0], &displacement, &etype, &filetype, representation.data());
  EXPECT_EQ(displacement, 4 + 8 * me());
  EXPECT_STREQ(representation.data(), "native");
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(filetype, &lower, &extent);
  EXPECT_EQ(extent, 8 * size());
  MPI_File_get_byte_offset(file[0], 2, &offset);
  EXPECT_EQ(offset, displacement + 16 * size());
  EXPECT_EQ(MPI_Type_free(&etype), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&filetype), MPI_SUCCESS);
  MPI_File_close(file.data());
}

// Even ranks have handles in another order than that in which the files were opened.
TEST_F(MpiFiles, AreOpenedAgainInTheOrderInWhichTheyWereOpened) {
  std::array<MPI_File, 2> files{};
  if (!outside()) {
    MPI_File alone = MPI_FILE_NULL;
    if (me() % 2 == 0) alone = open("alone" + std::to_string(me()), update, MPI_COMM_SELF);
    files[0] = open("first", update);
    if (me() % 2 == 0) MPI_File_close(&alone);
    files[1] = open("second", update);
  }
  for (int i = 0; i < 2; ++i) move_rank(files);
  if (outside()) return;
  for (const char value : {'1', '2'}) {
    MPI_File_write_at_all(files[value == '1' ? 0 : 1], me(), &value, 1, MPI_CHAR, MPI_STATUS_IGNORE);
  }
  for (MPI_File& file : files) MPI_File_close(&file);
  EXPECT_EQ(contents("first").front(), '1');
  EXPECT_EQ(contents("second").front(), '2');
}

// One that has been removed could not be opened again.
TEST_F(MpiFiles, OfOtherRanksStayOpen) {
  std::array<MPI_File, 1> none{MPI_FILE_NULL};
  MPI_File file = MPI_FILE_NULL;
  const std::string name = "of" + std::to_string(outside() ? -1 : me());
  const bool other = !outside() && me() != moved_rank;
  if (other) {
    file = open(name, update, MPI_COMM_SELF);
    fs::remove(path(name));
  }
  move_rank(none);
  EXPECT_TRUE(outside() || none[0] == MPI_FILE_NULL);
  if (!other) return;
  int written = 7, read = 0;
  EXPECT_EQ(MPI_File_write(file, &written, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(MPI_File_read_at(file, 0, &read, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(read, 7);
  MPI_File_close(&file);
}

TEST_F(MpiFiles, ThatAreRemovedOrReplacedCannotMove) {
  if (outside()) return;
  const std::string name = "of" + std::to_string(me());
  MPI_File file = open(name, update, MPI_COMM_SELF);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
  fs::remove(path(name));
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED);
  std::ofstream(path(name)) << "another one";
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED);
  MPI_File_close(&file);
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
}

TEST_F(MpiFiles, HaveToBeOnTheOtherNode) {
  if (!first_) return;
  std::ofstream(path("there")) << "1234";
  EXPECT_EQ(mpi::check(path("there"), MPI_MODE_RDONLY, 4), CPPC_OK);
  EXPECT_EQ(mpi::check(path("there"), MPI_MODE_WRONLY, 0), CPPC_OK);
  EXPECT_EQ(mpi::check(path("there"), MPI_MODE_RDONLY, 5), CPPC_ERR_UNSUPPORTED) << "shorter";
  EXPECT_EQ(mpi::check(path("elsewhere"), update, 0), CPPC_ERR_UNSUPPORTED);
  EXPECT_FALSE(fs::exists(path("elsewhere"))) << "it is not created";
}

std::int64_t active() {
  cppc_traffic traffic;
  mpi_state::traffic(&traffic);
  return traffic.active;
}

TEST_F(MpiFiles, AreInUseUntilAnOperationIsComplete) {
  if (outside()) return;
  MPI_File file = open("split", update);
  int value = me(), read = -1;
  EXPECT_EQ(MPI_File_write_at_all_begin(file, 4 * me(), &value, 1, MPI_INT), MPI_SUCCESS);
  EXPECT_EQ(active(), 1);
  EXPECT_NE(MPI_File_write_at_all_begin(file, 4 * me(), &value, 1, MPI_INT), MPI_SUCCESS);
  EXPECT_EQ(active(), 1);
  EXPECT_EQ(MPI_File_write_at_all_end(file, &value, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(active(), 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_File_iread_at(file, 4 * me(), &read, 1, MPI_INT, &request);
  EXPECT_EQ(active(), 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(active(), 0);
  EXPECT_EQ(read, me());
  MPI_File_close(&file);
}

TEST_F(MpiFiles, ThatCannotBeOpenedLeaveNothingBehind) {
  if (outside()) return;
  MPI_File file = MPI_FILE_NULL;
  EXPECT_NE(MPI_File_open(MPI_COMM_WORLD, path("none").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_SUCCESS);
  MPI_File closed = open("closed", update), handle = closed;
  MPI_File_close(&handle);
  EXPECT_NE(MPI_File_close(&closed), MPI_SUCCESS);
  EXPECT_NE(MPI_File_sync(closed), MPI_SUCCESS);
  ByteWriter writer;
  mpi::files().write(writer);
  ByteReader reader(writer.bytes());
  EXPECT_TRUE(mpi::Files::read(reader, me(), size()).files.empty());
}

/// A file's description with something changed, as rank 0 of 2 reads it.
template <class Change>
bool readable(Change change) {
  mpi::FileRecipe recipe{.path = "/a", .mode = MPI_MODE_RDWR, .view = {}, .hints = {}};
  std::vector<int> members{1, 0};
  std::uint32_t index = 3;
  change(recipe, members, index);
  ByteWriter writer;
  writer.u8(0);
  writer.u64(1);
  writer.u32(index);
  EXPECT_EQ(recipe.write(writer), CPPC_OK);
  writer.u64(members.size());
  for (const int member : members) writer.i32(member);
  writer.i64(0);
  for (std::size_t length = 0; length < writer.bytes().size(); ++length) {
    ByteReader part(writer.bytes().first(length));
    mpi::Files::read(part, 0, 2);
    EXPECT_FALSE(part.at_end()) << length;
  }
  ByteReader reader(writer.bytes());
  mpi::Files::read(reader, 0, 2);
  return reader.at_end();
}

TEST_F(MpiFiles, InAnImageMakeSense) {
  using Recipe = mpi::FileRecipe;
  using Members = std::vector<int>;
  const auto recipe = [](auto change) {
    return readable([&](Recipe& recipe, Members&, std::uint32_t&) { change(recipe); });
  };
  EXPECT_TRUE(recipe([](Recipe&) {}));
  EXPECT_FALSE(recipe([](Recipe& r) { r.path = "relative"; }));
  EXPECT_FALSE(recipe([](Recipe& r) { r.mode = MPI_MODE_RDWR | MPI_MODE_RDONLY; }));
  EXPECT_FALSE(recipe([](Recipe& r) { r.mode |= MPI_MODE_SEQUENTIAL; }));
  EXPECT_FALSE(recipe([](Recipe& r) { r.position = -1; }));
  EXPECT_FALSE(recipe([](Recipe& r) { r.view.representation = ""; }));
  EXPECT_FALSE(readable([](Recipe&, Members& members, std::uint32_t&) { members = {1}; })) << "not this process";
  EXPECT_FALSE(readable([](Recipe&, Members& members, std::uint32_t&) { members = {0, 2}; })) << "no such rank";
  EXPECT_FALSE(readable([](Recipe&, Members&, std::uint32_t& index) { index = 0; }));
}

}  // namespace

}  // namespace cppc::test
