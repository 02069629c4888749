/// COMMON variables that a call takes together with those behind them: `call MPI_Bcast(n, 3, ...)`.
#pragma once

#include "keywords.hpp"
#include "tree.hpp"

namespace cppc::fortran {

/// Says of the variables behind that other names lead to them. A scalar that procedures get as an array, or MPI with a
/// count other than 1, is taken for all that follows in its block, as far as a constant count goes. An array is so only
/// where a constant says that more is meant.
void settle_commons(Program& program, const ArgumentNames& names);

}  // namespace cppc::fortran
