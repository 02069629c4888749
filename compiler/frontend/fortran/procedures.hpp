/// From flang's program units to the procedures of tree.hpp. Only for the files that see flang.
#pragma once

#include "statements.hpp"

namespace cppc::fortran {

/// Adds the procedures of a file.
void add_procedures(Context& context, const Fortran::parser::Program& tree);

}  // namespace cppc::fortran
