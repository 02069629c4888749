/// Nests of counting loops that write arrays from one end to the other.
#pragma once

#include <functional>

#include "source.hpp"

namespace cppc::frontend {

/// The arrays of which every pass of a nest of loops writes whole ranges, seen from the outermost loop; none for a loop
/// that does not count, or go through a container. Their `function` locals are not filled in.
std::vector<OverwriteSite> ranges_written_by(const clang::Stmt* nest, ir::Index unit);

/// Adds the variables that are named there, but not in `known`, with the values that they are declared with; false when
/// one of them has no such value, or may get another in `function`, or has none that can be said elsewhere.
bool unfold(const clang::Stmt* s, const Locals& known, const clang::FunctionDecl* function, Locals& found);

/// Likewise of those for which `wanted` holds and that have such a value; others are left.
void unfold_some(const clang::Stmt* s, const std::function<bool(const clang::VarDecl*)>& wanted,
                 const clang::FunctionDecl* function, Locals& found);

/// Whether a variable is named there.
bool mentions(const clang::Stmt* s, const clang::VarDecl* variable);

}  // namespace cppc::frontend
