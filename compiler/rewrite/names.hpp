/// Names of variables in C++, where these may be members of classes and namespaces.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <string>

namespace cppc::rewrite {

/// By which a variable is named anywhere: of a static one that is in a namespace or class, with these.
std::string name_of(const clang::VarDecl* variable);

/// Whether a variable may be named by that in a function: as a member it is public, or one of the function's class.
/// Null: outside of functions.
bool can_be_named(const clang::VarDecl* variable, const clang::FunctionDecl* from);

/// Whether a member may be named in a function: null is outside of functions.
bool may_access(const clang::ValueDecl* member, const clang::FunctionDecl* from);

}  // namespace cppc::rewrite
