/// Functions that gfortran has of its own, and flang does not know: with IMPLICIT NONE it asks for their types.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cppc::fortran {

struct Undeclared {
  unsigned line;  ///< where it is called
  std::string name;
};

/// Those that flang's messages about `file` ask for; none when they name any other error.
std::vector<Undeclared> undeclared_gnu_functions(const std::string& messages, const std::string& file);

/// The text with declarations, each behind the last IMPLICIT NONE before the call; every line keeps its number.
std::string declare_gnu_functions(const std::string& text, const std::vector<Undeclared>& functions);

}  // namespace cppc::fortran
