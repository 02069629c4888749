// A header that is changed includes others by their place beside it, one of them twice, and others that lie elsewhere.
#include <cstdio>

#include "beside/solver.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::printf("%g %s\n", solve(100), kWhere);
  MPI_Finalize();
}
