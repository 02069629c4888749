/// From flang's parse trees to the statements of tree.hpp. Only for the files that see flang.
#pragma once

#include <flang/Parser/parse-tree.h>
#include <flang/Parser/provenance.h>
#include <flang/Semantics/semantics.h>

#include <map>
#include <string>

#include "convert.hpp"

namespace cppc::fortran {

/// What all statements of the program are made with.
struct Context {
  Symbols& symbols;
  Fortran::semantics::SemanticsContext& semantics;
  const Fortran::parser::AllCookedSources& cooked;
  const std::map<std::string, unsigned>& lines_in_front;  ///< of copies of files that are read in their place, by path
  Index file = none;                                      ///< number of the command that is looked at
};

Place place(const Context& context, Fortran::parser::CharBlock text);

/// Of the procedure of this number; what of them is not followed is said there (Procedure::unclear).
Statements statements_of(Context& context, Index procedure, const Fortran::parser::Block& block);

}  // namespace cppc::fortran
