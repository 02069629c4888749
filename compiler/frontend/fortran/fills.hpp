/// Dummies that procedures write as a whole, whatever was in them.
#pragma once

#include "effects.hpp"

namespace cppc::fortran {

/// Completes the effects by what is filled.
void find_fills(const Program& program, Effects& effects);

/// What a call leaves to the callee of an array when one of its elements is passed: a section, as the dummy has a shape
/// that is known; null when it has none.
ExprPtr section_of(const Program& program, const Expr& argument, Index dummy);

}  // namespace cppc::fortran
