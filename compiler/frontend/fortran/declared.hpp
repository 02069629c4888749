/// What declarations say of variables. Only for the files that see flang.
#pragma once

#include <flang/Semantics/symbol.h>

#include <string>

#include "tree.hpp"

namespace cppc::fortran {

namespace semantics = Fortran::semantics;

/// Why other names than its own may lead to an object, or its memory is not a plain one.
std::string unclear_memory(const semantics::Symbol& symbol);

/// Whether it may change although nobody names it.
bool is_aliased(const semantics::Symbol& symbol, const Symbol& made);

Symbol::Descriptor descriptor_of(const semantics::Symbol& symbol);

/// Whether a pointer is associated with nothing at first, if it is so in memory that is 0 at first.
bool starts_with_nothing(const semantics::Symbol& symbol, bool zeroed);

/// Whether a variable's memory is 0 at first. Compilers have some of the main program's on the stack.
bool is_zeroed(const semantics::Symbol& symbol);

bool is_initialized(const semantics::Symbol& symbol);

/// Whether it leads, or pointers in it lead, to something from the start.
bool has_pointers_at_first(const semantics::Symbol& symbol);

/// Whether the components of a variable can be symbols: it is in one place, and known by its name only.
bool has_parts(const semantics::Symbol& symbol);

/// Whether components of the type are assigned to by a procedure of theirs.
bool assigns_components(const semantics::Scope& type);

/// Whether who calls it gives it, or gets, pointers.
bool takes_pointers(const semantics::Symbol* dummy);

/// Its type in Fortran and the bytes of an element, if it is one of numbers.
void set_type(const semantics::Symbol& symbol, Symbol& made);

}  // namespace cppc::fortran
