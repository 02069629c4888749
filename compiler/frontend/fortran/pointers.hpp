/// Which pointers are the only way to the memory that they lead to.
#pragma once

#include "tree.hpp"

namespace cppc::fortran {

/// When all is read: nothing can be said of the memory of the others.
void settle_pointers(Program& program);

}  // namespace cppc::fortran
