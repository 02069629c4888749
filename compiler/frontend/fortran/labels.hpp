/// Labels that are no places to go to.
#pragma once

#include "tree.hpp"

namespace cppc::fortran {

/// Removes labels that nothing in their procedure jumps to, as those at the ends of loops.
void drop_unused_labels(Program& program);

}  // namespace cppc::fortran
