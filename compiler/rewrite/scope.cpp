#include "scope.hpp"

#include <algorithm>

#include "frontend/syntax.hpp"

namespace cppc::rewrite {

bool in_scope(clang::ASTContext& ast, const clang::FunctionDecl* function, const clang::VarDecl* variable,
              const clang::Stmt* at, bool inside) {
  if (variable->getParentFunctionOrMethod() != function) return false;
  if (llvm::isa<clang::ParmVarDecl>(variable)) return true;
  const clang::Stmt* declared = frontend::parent_of(ast, *variable);
  if (declared == nullptr) return false;
  const clang::Stmt* scope = frontend::parent_of(ast, *declared);
  const auto& manager = ast.getSourceManager();
  if (!manager.isBeforeInTranslationUnit(declared->getBeginLoc(), at->getBeginLoc()) && !(inside && scope == at))
    return false;
  for (const clang::Stmt* up = at; up != nullptr; up = frontend::parent_of(ast, *up))
    if (up == scope) return up != at || inside;
  return false;
}

bool is_macro(clang::ASTContext& ast, llvm::StringRef name) {
  const auto found = ast.Idents.find(name);
  return found != ast.Idents.end() && found->second->hadMacroDefinition();
}

bool shares_name(const clang::FunctionDecl* function, const clang::VarDecl* variable) {
  const auto shares_it = [&](const clang::Decl* d) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(d);
    return named != nullptr && named->getDeclName() == variable->getDeclName() &&
           named->getCanonicalDecl() != variable->getCanonicalDecl();
  };
  return std::ranges::any_of(function->decls(), [&](const clang::Decl* d) {
    const auto* values = llvm::dyn_cast<clang::EnumDecl>(d);
    return shares_it(d) || (values != nullptr && std::ranges::any_of(values->enumerators(), shares_it));
  });
}

bool named_before(const clang::ASTContext& ast, const clang::FunctionDecl* function, const clang::VarDecl* variable,
                  const clang::Stmt* at) {
  if (&variable->getASTContext() != &ast || shares_name(function, variable)) return false;
  return ast.getSourceManager().isBeforeInTranslationUnit(variable->getFirstDecl()->getLocation(), at->getBeginLoc());
}

bool insert_in_body(Editor& editor, const clang::Stmt* loop, const std::string& code) {
  const clang::Stmt* body = frontend::body_of(loop);
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(body)) {
    const auto inside = editor.end(block->getLBracLoc());
    if (!inside || !editor.begin(block->getRBracLoc()) || block->getLBracLoc().isMacroID()) return false;
    editor.open(*inside, " " + code);
    return true;
  }
  const auto begin = editor.begin(body->getBeginLoc()), end = editor.end_of(body);
  if (!begin || !end) return false;
  editor.enclose({*begin, *end}, "{ " + code, " }");
  return true;
}

}  // namespace cppc::rewrite
