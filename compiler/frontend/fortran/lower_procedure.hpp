/// The graph of one procedure. For lower.cpp only.
#pragma once

#include "lower_objects.hpp"

namespace cppc::fortran {

/// Of a procedure that is defined.
void lower_procedure(const Program& tree, Objects& objects, Lowered& lowered, Index procedure);

}  // namespace cppc::fortran
