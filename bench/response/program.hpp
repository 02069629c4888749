/// What the programs that bench-response moves have in common: MPI and its end, how a result is told.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <cstdio>

namespace response {

inline int rank_of(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return rank;
}

/// Whether the file that ends the run is there: the same on all ranks of the communicator.
inline bool stop_requested(const char* file, MPI_Comm communicator) {
  int there = rank_of(communicator) == 0 && access(file, F_OK) == 0;
  MPI_Bcast(&there, 1, MPI_INT, 0, communicator);
  return there != 0;
}

/// Says on rank 0, at once, that the work has begun.
inline void print_working() {
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  std::puts("working");
  std::fflush(stdout);
}

/// Rank 0 tells whether nothing was wrong on any rank. Returns the exit status.
inline int print_result(long wrong) {
  long all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank_of(MPI_COMM_WORLD) == 0) std::printf(all == 0 ? "ok\n" : "WRONG: %ld values\n", all);
  return all == 0 ? 0 : 1;
}

}  // namespace response
