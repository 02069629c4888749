#pragma once

#include <mpi.h>

#include <vector>

#include "once_scale.hpp"

class Solver {
 public:
  double solve(int steps) {
    std::vector<double> work(1000);
    double sum = 0;
    for (int step = 0; step < steps; ++step) {
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < 1000; ++i) work[i] = step + i * 0.5;
      for (int i = 0; i < 1000; ++i) sum += scale_.of(*this, work[i]);
    }
    return sum;
  }
  double factor = 1.5;

 private:
  Scale scale_;
};

template <class Of>
double Scale::of(const Of& solver, double x) const {
  return solver.factor * x + more;
}
