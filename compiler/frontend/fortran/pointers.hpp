/// Which pointers are the only way to the memory that they lead to, and which others may lead there.
#pragma once

#include "tree.hpp"

namespace cppc::fortran {

/// When all is read, and what has names outside.
void settle_pointers(Program& program);

/// Whether code that is not in the program may know the name.
bool named_outside(const Program& program, const std::string& linker_name);

/// Whether there is such code, and it has the name, or what names it has is not known.
bool used_by_others(const Program& program, const std::string& linker_name);

}  // namespace cppc::fortran
