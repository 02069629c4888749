/// Conditional lines of the preprocessor between the lines of one OpenMP directive:
///
///   !$omp parallel do &
///   #ifdef GRAVITY
///   !$omp shared(mass) &
///   #endif
///   !$omp private(i)
///
/// flang ends the directive at such a line, gfortran does not.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"

namespace cppc::fortran {

/// The text with such places as gfortran's preprocessor leaves them; every line keeps its number. Nothing if there are
/// none, or gfortran does not say.
std::optional<std::string> without_conditional_directives(const std::string& text, const std::string& file,
                                                          const Options& options, const std::string& scratch);

}  // namespace cppc::fortran
