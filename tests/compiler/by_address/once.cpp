// A header that is changed, is included again by others, one of which it includes itself, and says so by `#pragma once`.
#include <cstdio>

#include "once_solver.hpp"
#include "once_twice.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Solver solver;
  std::printf("%g\n", solver.solve(100) + twice(solver));
  MPI_Finalize();
}
