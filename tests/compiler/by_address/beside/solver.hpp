#ifndef BESIDE_SOLVER_HPP
#define BESIDE_SOLVER_HPP

#include <mpi.h>

#include <vector>

#include "mpi.h"
#include "scale.hpp"
#include "shift.hpp"
#ifdef NOBODY_DEFINES_THIS
#include "missing.hpp"
#endif

inline double solve(int steps) {
  std::vector<double> work(1000);
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 1000; ++i) work[i] = step + i * 0.5;
    for (int i = 0; i < 1000; ++i) sum += shifted(scaled(work[i]));
  }
  return sum;
}

#endif
