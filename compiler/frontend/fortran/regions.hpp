/// Parts of arrays that nests of loops and array assignments write, all of them, whatever was in them.
#pragma once

#include <map>
#include <set>

#include "algebra.hpp"
#include "effects.hpp"
#include "tree.hpp"

namespace cppc::fortran {

/// Subscripts from `low` to `high`. When `variable` is one, it goes over them less `shift` in the bounds of the
/// dimensions before.
struct Extent {
  ExprPtr low, high;
  Index variable = none;
  std::int64_t shift = 0;
};

struct Region {
  Index symbol = none;
  Index view = none;              ///< the symbol with the bounds of the array, where it is written
  std::vector<Extent> extents;    ///< by dimension
  std::vector<ExprPtr> received;  ///< instead: its first elements, count, datatype and communicator (null:
                                  ///< one time the count) of a call of MPI
  std::vector<std::pair<ExprPtr, ExprPtr>> ordered;  ///< it counts only where the first is at most the second
  std::vector<ExprPtr> positive;                     ///< and these are greater than 0
  std::set<Index> depends;                           ///< variables that say where it is
  bool alone = false;                                ///< no other element of the array is accessed meanwhile
};

/// What a loop writes, seen from outside, of arrays that the loop does not read otherwise before: from after the loop
/// on its reads of these arrays can be ignored. `before`: values at its start.
std::vector<Region> regions_of(const Program& program, const Effects& effects, const Statement& loop,
                               const Values& before = {});

/// What an assignment to a whole array or a section writes.
std::optional<Region> region_of(const Program& program, const Effects& effects, const Statement& assignment);

/// Whether an element or section of the same array lies outside the region, by a subscript that is a constant.
bool is_apart(const Expr& element, const Region& region);

/// Adds the variables that an expression reads. False when it has calls or is not understood, or they may change by
/// other names.
bool find_variables(const Program& program, const Expr& e, std::set<Index>& variables);

/// Whether flow may leave the statements in another way than at their end, or enter them, but for STOP.
bool jumps(const Statement& s);
bool jumps(const Statements& statements);

}  // namespace cppc::fortran
