/// Questions about the syntax tree that lowering and rewriting ask alike.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/Stmt.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::frontend {

bool is_loop(const clang::Stmt* s);

/// Parts of a loop; a null pointer when it has no such part.
const clang::Expr* condition_of(const clang::Stmt* loop);
const clang::Stmt* body_of(const clang::Stmt* loop);

/// The expression in a canonical spelling: numbers as such.
std::string spelling(const clang::Expr* e, const clang::ASTContext& context);

/// Whether there is a call in it.
bool has_call(const clang::Stmt* s);

/// What it assigns to, increments or decrements itself; null when it does not.
const clang::Expr* changed_by(const clang::Stmt* s);

/// Whether something in it calls, assigns, increments or decrements, `besides` these.
bool has_effects(const clang::Stmt* s, const std::set<const clang::Stmt*>& besides = {});

/// Whether it has a `continue` that belongs to the loop whose body it is.
bool has_continue(const clang::Stmt* s);

/// Whether it declares variables or types of variable size.
bool variably_modified(const clang::Stmt* s);

/// The arrays of variable length that the type is made of, through pointers too, outermost first.
std::vector<const clang::VariableArrayType*> variable_arrays(const clang::ASTContext& ast, clang::QualType type);

/// Whether the program may go on elsewhere than behind a call of this function.
bool jumps_elsewhere(std::string_view name);

/// What is evaluated where the type is written: lengths of arrays, and what typeof() is given if that is of variable
/// size.
std::vector<const clang::Expr*> evaluated_in(clang::QualType type);

/// What the elements of a structure's initialiser are for; none for an array's or a union's.
std::vector<const clang::FieldDecl*> fields_of(const clang::InitListExpr* list);

/// The statement that a statement or variable is directly in; null when it is in none.
template <class Node>
const clang::Stmt* parent_of(clang::ASTContext& ast, const Node& node) {
  const auto parents = ast.getParentMapContext().getParents(node);
  return parents.empty() ? nullptr : parents[0].template get<clang::Stmt>();
}

}  // namespace cppc::frontend
