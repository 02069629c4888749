/// Calls of MPI that fail, in tests that are linked with tests/support/mpi_fault.c and run under mpirun.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace cppc::test {

inline int own_rank(MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm = MPI_COMM_WORLD) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Collective: whether it holds in any process.
inline bool anywhere(bool holds) {
  int here = holds ? 1 : 0;
  int found = 0;
  MPI_Allreduce(&here, &found, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return found != 0;
}

/// While it lives, the nth call of `function` from now on fails in this process, once.
class Strike {
 public:
  explicit Strike(const std::string& function, int nth = 1)
      : file_(std::filesystem::temp_directory_path() / ("cppc-strike-" + std::to_string(getpid()))) {
    static int serial = 0;  // mpi_fault counts anew when the text is another one
    setenv("MPI_FAULT", file_.c_str(), 1);
    std::ofstream(file_) << function << ' ' << nth << ' ' << ++serial << '\n';
  }
  Strike(const Strike&) = delete;
  Strike& operator=(const Strike&) = delete;
  ~Strike() { std::filesystem::remove(file_); }

  /// Whether the call has come, and failed.
  [[nodiscard]] bool done() const { return !std::filesystem::exists(file_); }

 private:
  std::filesystem::path file_;
};

}  // namespace cppc::test
