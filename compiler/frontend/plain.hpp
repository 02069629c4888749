/// Expressions that can be evaluated elsewhere without effects.
#pragma once

#include <clang/AST/Expr.h>

namespace cppc::frontend {

/// Variables, members, elements, constants, arithmetic, and calls of functions that are no more than that.
bool plain(const clang::Stmt* expression);

/// Whether a plain expression divides by anything but a constant.
bool divides(const clang::Stmt* expression, const clang::ASTContext& ast);

/// What a call of such a function returns, in terms of the function's parameters; null for other calls.
const clang::Expr* plain_result(const clang::CallExpr* call);

}  // namespace cppc::frontend
