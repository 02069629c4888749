/// What is in files in the end, when a rank has moved between writes: what an undisturbed run writes.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <string>

#include "files_fixture.hpp"

namespace cppc::test {
namespace {

/// Writes three files in every step.
struct Program {
  std::array<MPI_File, 3> files{};
  MPI_File& strided() { return files[0]; }  ///< every rank its own elements, by its own position
  MPI_File& shared() { return files[1]; }   ///< by the shared position
  MPI_File& direct() { return files[2]; }   ///< at offsets, what is written is read at once
};

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

}  // namespace
}  // namespace cppc::test
