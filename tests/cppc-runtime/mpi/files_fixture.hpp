/// Files of MPI in a directory of all processes, and the move of the rank that has them open.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "communicator_set.hpp"
#include "cppc/hooks.h"
#include "handles.hpp"
#include "test_world.hpp"

namespace cppc::test {

inline constexpr int update = MPI_MODE_CREATE | MPI_MODE_RDWR;

inline int me() { return rank_in(MPI_COMM_WORLD); }
inline int size() { return size_of(MPI_COMM_WORLD); }
inline void barrier() { PMPI_Barrier(MPI_COMM_WORLD); }  // of all processes

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
    if (first_) std::filesystem::remove_all(directory_);
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

inline std::vector<std::byte> save(std::span<MPI_File> files) {
  ByteWriter writer;
  for (const MPI_File& file : files) writer.u64(handles::encode(CPPC_MPI_FILE, &file).value());
  ByteWriter mpi_part;
  EXPECT_EQ(mpi_state::serialize(mpi_part), CPPC_OK);
  writer.block(mpi_part.bytes());
  return std::move(writer).take();
}

inline void load(const std::vector<std::byte>& state, std::span<MPI_File> files) {
  ByteReader reader(state);
  std::vector<std::uint64_t> stored(files.size());
  for (std::uint64_t& number : stored) number = reader.u64();
  ByteReader mpi_part(reader.block());
  ASSERT_EQ(mpi_state::restore(mpi_part), CPPC_OK);
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_TRUE(handles::decode(CPPC_MPI_FILE, stored[i], &files[i]));
  }
}

inline bool leaves() { return !outside() && me() == moved_rank; }

/// Moves `moved_rank`, which holds these handles, into the process outside, as an extension does.
inline void move_rank(std::span<MPI_File> files) {
  const bool source = leaves(), replacement = outside();
  const auto state = hand_over(source ? save(files) : std::vector<std::byte>{});
  swap();
  const MPI_Comm world = next_world();
  if (source) return mpi_state::abandon();
  if (replacement) load(state, files);
  ASSERT_EQ(mpi_state::rebuild(world), CPPC_OK);
}

/// Of elements of two numbers, this rank's in every row of all ranks' elements.
inline void set_strided_view(MPI_File file) {
  MPI_Datatype pair, row;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, static_cast<MPI_Aint>(sizeof(int)) * 2 * size(), &row);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&row);
  MPI_File_set_view(file, 4 + 8 * me(), pair, row, "native", MPI_INFO_NULL);
  MPI_Type_free(&pair);
  MPI_Type_free(&row);
}

}  // namespace cppc::test
