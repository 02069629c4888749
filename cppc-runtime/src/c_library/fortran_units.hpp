/// Files that Fortran has open, in a program that f2c has translated: libf2c keeps them to itself.
#pragma once

#include <optional>

namespace cppc::c_library {

/// A unit with a file other than the standard streams.
std::optional<int> open_fortran_unit();

}  // namespace cppc::c_library
