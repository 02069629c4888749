/// Loops that sources in Fortran make of GOTO, as those of older standards do.
#pragma once

#include "tree.hpp"

namespace cppc::fortran {

/// A statement with a label to which one behind it in the same block goes back becomes a loop of what is
/// between, unless others come into the midst of it.
void find_goto_loops(Program& program);

}  // namespace cppc::fortran
