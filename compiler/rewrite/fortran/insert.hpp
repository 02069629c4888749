/// Puts calls of the safe points' routines into Fortran sources, as lines of their own.
#pragma once

#include <string>
#include <vector>

#include "companion.hpp"

namespace cppc::rewrite::fortran {

/// The source's text with the calls; lines keep their numbers for whoever reads messages about `name`. Points whose
/// line has something else behind the loop's header, or does not begin with the label, are left out, and go to
/// `obstacles`.
std::string insert(const std::string& text, const std::string& name, bool fixed_form,
                   const std::vector<const Point*>& points, std::vector<const Point*>& obstacles);

}  // namespace cppc::rewrite::fortran
