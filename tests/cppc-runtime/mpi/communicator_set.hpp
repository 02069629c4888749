/// Communicators of every kind that a program can make, and what has to be true of them at any time.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace cppc::test {

struct Known {
  MPI_Comm comm;
  std::string name;
  std::vector<int> members;  ///< ranks in MPI_COMM_WORLD
};

/// Collective over MPI_COMM_WORLD. Those that this process is no member of are left out.
std::vector<Known> make_communicators();

/// Fails the test unless each has its members, its name and its topology, and carries messages. Collective.
void expect_sound(const std::vector<Known>& communicators);

void free_communicators(std::vector<Known>& communicators);

/// An intercommunicator between the even and the odd ranks, each in descending order; none for one process.
MPI_Comm make_bridge();
void expect_sound_bridge(MPI_Comm bridge);

int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

}  // namespace cppc::test
