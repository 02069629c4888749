/// What the rewriters of one translation unit share, and what all of them do to its statements.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/plan.hpp"
#include "editor.hpp"
#include "frontend/source.hpp"
#include "types.hpp"

namespace cppc::rewrite {

struct Context {
  ir::Program& program;
  const frontend::Source& source;
  const analysis::Plan& plan;
  clang::ASTContext& ast;
  Editor& editor;
  Types& types;
  std::vector<analysis::Refusal>& refusals;
  const std::set<ir::Node>& declared;  ///< static objects with a record in some file

  void refuse(const clang::Stmt* where, const std::string& what, const std::string& advice) const;

  /// Puts code in front of a statement and behind it, in a block where only one statement may stand.
  void wrap(const clang::Stmt* statement, const std::string& before, const std::string& after = {}) const;

  /// Puts code around an expression.
  void enclose(const clang::Expr* expression, const std::string& before, const std::string& after) const;

  [[nodiscard]] const clang::Stmt* parent(const clang::Stmt* statement) const;

 private:
  [[nodiscard]] bool needs_braces(const clang::Stmt* statement) const;
};

}  // namespace cppc::rewrite
