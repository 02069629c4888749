/// The extension under which these tests run the MPI part of the runtime. Its world is not MPI's: its ranks run
/// backwards, so that a call which is not translated shows. With a spare, the last process is outside and takes over a
/// rank.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace cppc::test {

/// Which rank the spare process takes over, -1 for no spare: each test program says so.
extern const int moved_rank;

/// A new world of the same ranks, of processes that are inside. Collective over all processes; MPI_COMM_NULL outside.
MPI_Comm next_world();

/// Whether this process is outside.
bool outside();

/// The process at `moved_rank` goes outside and the one outside comes in: the next world says so. Called by all.
void swap();

/// From the process at `moved_rank` to the one outside; empty in all others. Called by all.
std::vector<std::byte> hand_over(const std::vector<std::byte>& state);

}  // namespace cppc::test
