/// From flang's parse trees to the statements of tree.hpp. Only for the files that see flang.
#pragma once

#include <flang/Parser/parse-tree.h>
#include <flang/Parser/provenance.h>
#include <flang/Semantics/semantics.h>

#include "convert.hpp"

namespace cppc::fortran {

/// What all statements of the program are made with.
struct Context {
  Symbols& symbols;
  Fortran::semantics::SemanticsContext& semantics;
  const Fortran::parser::AllCookedSources& cooked;
  Index file = none;  ///< number of the command that is looked at
};

/// Adds the procedures of a file.
void add_procedures(Context& context, const Fortran::parser::Program& tree);

}  // namespace cppc::fortran
