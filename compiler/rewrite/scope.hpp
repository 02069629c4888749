/// What can be named and written at a place in the source.
#pragma once

#include "editor.hpp"
#include "frontend/source.hpp"

namespace cppc::rewrite {

/// Whether a variable of `function` can be named at a statement or, if that is a block or loop, `inside` it.
bool in_scope(clang::ASTContext& ast, const clang::FunctionDecl* function, const clang::VarDecl* variable,
              const clang::Stmt* at, bool inside);

/// Whether the file has the name of a variable at file scope before the statement, and nothing in `function` has the
/// same name.
bool named_before(const clang::ASTContext& ast, const clang::FunctionDecl* function, const clang::VarDecl* variable,
                  const clang::Stmt* at);

/// Whether a macro has this name, or had it somewhere in the file.
bool is_macro(clang::ASTContext& ast, llvm::StringRef name);

/// Whether something else in the function has the same name.
bool shares_name(const clang::FunctionDecl* function, const clang::VarDecl* variable);

/// Puts code at the start of a loop's body; false when that is not in a file that can be changed.
bool insert_in_body(Editor& editor, const clang::Stmt* loop, const std::string& code);

}  // namespace cppc::rewrite
