/// Functions that gfortran has, and flang by other names only. A file that uses one under IMPLICIT NONE, which gfortran
/// takes, would be one with an undeclared name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppc::fortran {

/// Those that the source calls, in each spelling, and what flang knows: a function of the same arguments that changes
/// nothing either. A name that stands somewhere without arguments is the program's own.
std::vector<std::pair<std::string, std::string>> gnu_names_in(std::string_view source);

}  // namespace cppc::fortran
