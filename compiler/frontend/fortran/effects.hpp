/// What procedures read and change, as their statements say it, in whatever order.
#pragma once

#include <set>
#include <vector>

#include "tree.hpp"

namespace cppc::fortran {

/// Of dummies and of what outlives the procedure.
struct Effect {
  std::set<Index> uses, changes;
  std::set<Index> fills;  ///< dummies of a shape that is known, which it writes, all of them, before it reads them
  bool unknown = false;   ///< it calls what is not in the program, MPI for one
  bool operator==(const Effect&) const = default;
};

/// By procedure.
using Effects = std::vector<Effect>;

Effects effects_of(const Program& program);

/// What a call does; null when that is not known.
const Effect* effect_of(const Effects& effects, const Expr& call);

/// The variables that the call may change, those that its arguments name among them.
std::set<Index> changed_by(const Program& program, const Effect& effect, const Expr& call);

}  // namespace cppc::fortran
