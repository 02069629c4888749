/// Files of MPI that are open while a rank goes on in another process: what is in them in the end is what an
/// undisturbed run writes.
#include "mpi/files.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "communicator_set.hpp"
#include "cppc/hooks.h"
#include "handles.hpp"
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = MOVED_RANK;

namespace {

namespace fs = std::filesystem;

constexpr int update = MPI_MODE_CREATE | MPI_MODE_RDWR;

int me() { return rank_in(MPI_COMM_WORLD); }
int size() { return size_of(MPI_COMM_WORLD); }
void barrier() { PMPI_Barrier(MPI_COMM_WORLD); }  // of all processes

/// A directory for each test, of all processes.
class MpiFiles : public testing::Test {
 protected:
  MpiFiles() : first_(process() == 0) {
    std::array<char, 32> name{"/tmp/cppc-files-XXXXXX"};
    if (first_ && mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no directory";
    PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    directory_ = name.data();
  }
  ~MpiFiles() override {
    barrier();
    if (first_) fs::remove_all(directory_);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }

  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  [[nodiscard]] MPI_File open(const std::string& name, int mode, MPI_Comm comm = MPI_COMM_WORLD) const {
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(MPI_File_open(comm, path(name).c_str(), mode, MPI_INFO_NULL, &file), MPI_SUCCESS);
    return file;
  }

  const bool first_;

 private:
  static int process() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
  }
  std::string directory_;
};

std::vector<std::byte> save(std::span<MPI_File> files) {
  ByteWriter writer;
  for (const MPI_File& file : files) writer.u64(handles::encode(CPPC_MPI_FILE, &file).value());
  ByteWriter mpi_part;
  EXPECT_EQ(mpi_state::serialize(mpi_part), CPPC_OK);
  writer.block(mpi_part.bytes());
  return std::move(writer).take();
}

void load(const std::vector<std::byte>& state, std::span<MPI_File> files) {
  ByteReader reader(state);
  std::vector<std::uint64_t> stored(files.size());
  for (std::uint64_t& number : stored) number = reader.u64();
  ByteReader mpi_part(reader.block());
  ASSERT_EQ(mpi_state::restore(mpi_part), CPPC_OK);
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_TRUE(handles::decode(CPPC_MPI_FILE, stored[i], &files[i]));
  }
}

bool leaves() { return !outside() && me() == moved_rank; }

/// Moves `moved_rank`, which holds these handles, into the process outside, as an extension does.
void move_rank(std::span<MPI_File> files) {
  const bool source = leaves(), replacement = outside();
  const auto state = hand_over(source ? save(files) : std::vector<std::byte>{});
  swap();
  const MPI_Comm world = next_world();
  if (source) return mpi_state::abandon();
  if (replacement) load(state, files);
  ASSERT_EQ(mpi_state::rebuild(world), CPPC_OK);
}

// ---- A program that writes three files in every step

struct Program {
  std::array<MPI_File, 3> files{};
  MPI_File& strided() { return files[0]; }  ///< every rank its own elements, by its own position
  MPI_File& shared() { return files[1]; }   ///< by the shared position
  MPI_File& direct() { return files[2]; }   ///< at offsets, what is written is read at once
};

/// Of elements of two numbers, this rank's in every row of all ranks' elements.
void set_strided_view(MPI_File file) {
  MPI_Datatype pair, row;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, static_cast<MPI_Aint>(sizeof(int)) * 2 * size(), &row);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&row);
  MPI_File_set_view(file, 4 + 8 * me(), pair, row, "native", MPI_INFO_NULL);
  MPI_Type_free(&pair);
  MPI_Type_free(&row);
}

void start(Program& program, const std::string& prefix) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_File_open(comm, (prefix + "strided").c_str(), update, MPI_INFO_NULL, &program.strided());
  set_strided_view(program.strided());
  MPI_File_open(comm, (prefix + "shared").c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &program.shared());
  MPI_File_set_view(program.shared(), 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_open(MPI_COMM_WORLD, (prefix + "direct").c_str(), update | MPI_MODE_EXCL, MPI_INFO_NULL, &program.direct());
  MPI_File_set_atomicity(program.direct(), 1);
  MPI_Comm_free(&comm);
}

void write_strided(MPI_File file, int step) {
  const std::array<int, 2> element{me(), step};
  if (step % 3 == 0) MPI_File_write(file, element.data(), 2, MPI_INT, MPI_STATUS_IGNORE);
  if (step % 3 == 1) MPI_File_write_all(file, element.data(), 2, MPI_INT, MPI_STATUS_IGNORE);
  if (step % 3 != 2) return;
  MPI_Request request;
  MPI_File_iwrite(file, element.data(), 2, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void write_shared(MPI_File file, int step) {
  const int stamp = 1000 * step + me(), extra = -stamp;
  MPI_File_write_ordered(file, &stamp, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (step % size() == me()) MPI_File_write_shared(file, &extra, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

void write_directly(MPI_File file, int step) {
  const int next = (me() + 1) % size(), value = 100 * step + me();
  int read = -1;
  MPI_File_write_at_all(file, 4 * (step * size() + me()), &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 4 * (step * size() + next), &read, 1, MPI_INT, MPI_STATUS_IGNORE);
  EXPECT_EQ(read, 100 * step + next);
}

void step(Program& program, int number) {
  write_strided(program.strided(), number);
  write_shared(program.shared(), number);
  write_directly(program.direct(), number);
}

TEST_F(MpiFiles, HoldWhatAnUndisturbedRunWrites) {
  constexpr int steps = 9;
  Program program;
  for (const bool disturbed : {false, true}) {
    if (!outside()) start(program, path(disturbed ? "disturbed." : "undisturbed."));
    for (int i = 0; i < steps; ++i) {
      if (!outside()) step(program, i);
      if (disturbed) move_rank(program.files);
    }
    if (outside()) continue;
    for (MPI_File& file : program.files) {
      EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
      EXPECT_EQ(file, MPI_FILE_NULL);
    }
  }
  barrier();
  for (const std::string name : {"strided", "shared", "direct"}) {
    EXPECT_GE(contents("undisturbed." + name).size(), std::size_t{4 * steps}) << name;
    EXPECT_EQ(contents("disturbed." + name), contents("undisturbed." + name)) << name;
  }
}

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
