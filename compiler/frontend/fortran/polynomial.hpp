/// Integer expressions as sums of products.
#pragma once

#include "tree.hpp"

namespace cppc::fortran {

/// Whether both have the same value whatever their variables have. False also when that is not seen.
bool always_equal(const Program& program, const Expr& one, const Expr& other);

}  // namespace cppc::fortran
