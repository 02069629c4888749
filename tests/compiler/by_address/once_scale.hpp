#pragma once

#include "once_solver.hpp"

struct Scale {
  template <class Of>
  double of(const Of& solver, double x) const;
  double more = 0.25;
};
