/// What the C++ programs share with those in C: options, holds, digests and how results are told.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

extern "C" {
#include "../hold.h"
#include "../options.h"
#include "../result.h"
}

namespace app {

struct Options {
  ::usage usage{};
  long steps = 0;
  const char* file = nullptr;  ///< null for programs without one
  ::hold hold{};
};

/// The options that most programs have: --steps N, at most `most`; --hold and --hold-at; and one for a file, if there
/// is a name for it.
inline Options read_options(int argc, char** argv, long steps, long most, const char* file_option = nullptr) {
  Options options;
  options.steps = steps;
  ::setting settings[4]{};
  settings[0].name = "steps";
  settings[0].number = &options.steps;
  settings[0].most = most;
  settings[1].name = "hold";
  settings[1].text = &options.hold.file;
  settings[2].name = "hold-at";
  settings[2].list = &options.hold.steps;
  settings[3].name = file_option;
  settings[3].text = &options.file;
  const int operand = parse(argc, argv, settings, file_option != nullptr ? 4 : 3, &options.usage);
  if (operand < argc) wrong_usage(&options.usage, "'%s' is one argument too many", argv[operand]);
  return options;
}

inline int rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

inline int ranks_of(MPI_Comm communicator) {
  int ranks = 0;
  MPI_Comm_size(communicator, &ranks);
  return ranks;
}

inline long sum_of(long own) {
  long sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// A path of its own in the temporary directory, the same on every rank. Collective.
inline std::string temporary_path(const std::string& program) {
  std::string path;
  if (rank_of(MPI_COMM_WORLD) == 0) {
    path = (std::filesystem::temp_directory_path() / (program + "-XXXXXX")).string();
    const int made = mkstemp(path.data());
    if (made < 0) MPI_Abort(MPI_COMM_WORLD, 1);
    close(made);
    std::filesystem::remove(path);
  }
  int length = static_cast<int>(path.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  path.resize(static_cast<std::size_t>(length));
  MPI_Bcast(path.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path;
}

}  // namespace app
