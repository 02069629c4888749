#ifndef ONCE_TWICE_HPP
#define ONCE_TWICE_HPP

#  include "./once_solver.hpp"  // by another name

inline double twice(Solver& solver) { return 2 * solver.solve(3); }

#endif
