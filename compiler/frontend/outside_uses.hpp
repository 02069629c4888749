/// Functions that are not among the sources: what they may use and call of the program.
#pragma once

#include "lowering.hpp"

namespace cppc::frontend {

/// What code of C++'s library that is instantiated for the program calls of it escapes.
void see_library_uses(Symbols& symbols);

/// A function without source that has the name of one in the tables, but is declared otherwise, is another one, of
/// which nothing is known.
void separate_namesakes(ir::Program& program, const Source& source, const models::Models& models);

/// Where functions of C++'s library may call others of the program, what they do is not known.
void forget_library(ir::Program& program);

/// A function that is not among the sources, nor a library's, may use every variable and call every function of the
/// program that has a name for the linker.
bool has_other_parts(const ir::Program& program, const Source& source, const models::Models& models);

/// All that has a name for the linker.
void escape_all(Symbols& symbols);

}  // namespace cppc::frontend
