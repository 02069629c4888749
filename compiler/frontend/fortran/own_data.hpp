/// Procedures that have to do with nothing but what they are given.
#pragma once

#include "tree.hpp"

namespace cppc::fortran {

/// Whether the procedure, whoever calls it and whenever, reads and changes only its dummies and variables that begin
/// with each call: none of a module, a COMMON block or a host, none that is kept from call to call. It calls nothing
/// but intrinsics, and no pointer leads anywhere.
bool has_own_data_only(const Program& program, Index procedure);

/// The same of a FINAL procedure, whose dummy is of a derived type, of which no component is a pointer.
bool ends_own_data_only(const Program& program, Index procedure);

}  // namespace cppc::fortran
