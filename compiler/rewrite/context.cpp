#include "context.hpp"

#include "frontend/syntax.hpp"

namespace cppc::rewrite {

void Context::refuse(const clang::Stmt* where, const std::string& what, const std::string& advice) const {
  refusals.push_back({frontend::position(ast.getSourceManager(), where->getBeginLoc(), program), what, advice});
}

void Context::wrap(const clang::Stmt* s, const std::string& before, const std::string& after) const {
  const auto begin = editor.begin(s->getBeginLoc());
  const auto end = editor.end_of(s);
  if (!begin || !end) return refuse(s, "the statement is not in the file that is translated", "move it there");
  const bool braces = needs_braces(s);
  editor.open(*begin, (braces ? "{ " : "") + before);
  if (braces || !after.empty()) editor.close(*end, after + (braces ? " }" : ""));
}

void Context::enclose(const clang::Expr* e, const std::string& before, const std::string& after) const {
  const auto range = editor.whole(e);
  if (!range)
    return refuse(e, "the expression is not in the file that is translated, or is part of a macro",
                  "write it out there");
  editor.enclose(*range, before, after);
}

const clang::Stmt* Context::parent(const clang::Stmt* s) const { return frontend::parent_of(ast, *s); }

bool Context::needs_braces(const clang::Stmt* s) const {
  const clang::Stmt* up = parent(s);
  if (up == nullptr || llvm::isa<clang::CompoundStmt>(up)) return false;
  if (llvm::isa<clang::LabelStmt, clang::SwitchCase>(up)) return needs_braces(up);
  return true;
}

}  // namespace cppc::rewrite
