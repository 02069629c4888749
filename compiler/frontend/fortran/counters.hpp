/// Variables that nests of loops count up by one in each pass.
#pragma once

#include <map>

#include "regions.hpp"

namespace cppc::fortran {

struct Counter {
  std::vector<const Statement*> loops;  ///< around the statement that counts
  ExprPtr start;                        ///< its value before the nest
  bool counted = false;                 ///< that statement has been passed
};

/// Those whose values before the nest are in `before`, and that nothing else in it changes.
std::map<Index, Counter> find_counters(const Program& program, const Effects& effects, const Statement& nest,
                                       const Values& before);

}  // namespace cppc::fortran
