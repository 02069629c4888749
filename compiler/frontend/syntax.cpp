#include "syntax.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace cppc::frontend {

bool is_loop(const clang::Stmt* s) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(s);
}

const clang::Expr* condition_of(const clang::Stmt* loop) {
  if (const auto* f = llvm::dyn_cast<clang::ForStmt>(loop)) return f->getCond();
  if (const auto* w = llvm::dyn_cast<clang::WhileStmt>(loop)) return w->getCond();
  if (const auto* d = llvm::dyn_cast<clang::DoStmt>(loop)) return d->getCond();
  return nullptr;
}

const clang::Stmt* body_of(const clang::Stmt* loop) {
  if (const auto* f = llvm::dyn_cast<clang::ForStmt>(loop)) return f->getBody();
  if (const auto* w = llvm::dyn_cast<clang::WhileStmt>(loop)) return w->getBody();
  if (const auto* d = llvm::dyn_cast<clang::DoStmt>(loop)) return d->getBody();
  if (const auto* r = llvm::dyn_cast<clang::CXXForRangeStmt>(loop)) return r->getBody();
  return nullptr;
}

std::string spelling(const clang::Expr* e, const clang::ASTContext& context) {
  clang::Expr::EvalResult known;
  if (e->getType()->isIntegerType() && e->EvaluateAsInt(known, context))
    return std::to_string(known.Val.getInt().getExtValue());
  std::string text;
  llvm::raw_string_ostream out(text);
  e->IgnoreParenCasts()->printPretty(out, nullptr, context.getPrintingPolicy());
  return text;
}

bool has_call(const clang::Stmt* s) {
  return s != nullptr && (llvm::isa<clang::CallExpr>(s) || std::ranges::any_of(s->children(), has_call));
}

const clang::Expr* changed_by(const clang::Stmt* s) {
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(s); unary != nullptr && unary->isIncrementDecrementOp())
    return unary->getSubExpr();
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s); binary != nullptr && binary->isAssignmentOp())
    return binary->getLHS();
  return nullptr;
}

bool has_effects(const clang::Stmt* s, const std::set<const clang::Stmt*>& besides) {
  if (s == nullptr || besides.contains(s)) return false;
  if (llvm::isa<clang::CallExpr>(s) || changed_by(s) != nullptr) return true;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return has_effects(child, besides); });
}

bool has_continue(const clang::Stmt* s) {
  if (s == nullptr || is_loop(s)) return false;
  return llvm::isa<clang::ContinueStmt>(s) || std::ranges::any_of(s->children(), has_continue);
}

bool variably_modified(const clang::Stmt* s) {
  const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(s);
  return declaration != nullptr && std::ranges::any_of(declaration->decls(), [](const clang::Decl* d) {
           if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d))
             return variable->getType()->isVariablyModifiedType();
           const auto* name = llvm::dyn_cast<clang::TypedefNameDecl>(d);
           return name != nullptr && name->getUnderlyingType()->isVariablyModifiedType();
         });
}

std::vector<const clang::VariableArrayType*> variable_arrays(const clang::ASTContext& ast, clang::QualType type) {
  std::vector<const clang::VariableArrayType*> found;
  for (;;) {
    if (type->isPointerType()) {
      type = type->getPointeeType();
      continue;
    }
    const auto* array = ast.getAsArrayType(type);
    if (array == nullptr) return found;
    if (const auto* variable = llvm::dyn_cast<clang::VariableArrayType>(array);
        variable != nullptr && variable->getSizeExpr() != nullptr)
      found.push_back(variable);
    type = array->getElementType();
  }
}

std::vector<const clang::Expr*> evaluated_in(clang::QualType type) {
  struct Finder : clang::RecursiveASTVisitor<Finder> {
    std::vector<const clang::Expr*> found;
    bool TraverseStmt(clang::Stmt* s) {
      if (const auto* e = llvm::dyn_cast_or_null<clang::Expr>(s)) found.push_back(e);
      return true;
    }
    bool TraverseTypeOfExprType(clang::TypeOfExprType* of) {
      const bool evaluates = of->getUnderlyingExpr()->getType()->isVariablyModifiedType();
      return !evaluates || TraverseStmt(of->getUnderlyingExpr());
    }
    bool TraverseDecltypeType(clang::DecltypeType* /*of*/) { return true; }
  };
  Finder finder;
  finder.TraverseType(type);
  return std::move(finder.found);
}

bool jumps_elsewhere(std::string_view name) {
  static constexpr std::string_view kJumps[] = {"setjmp",      "_setjmp",    "sigsetjmp",  "__sigsetjmp", "longjmp",
                                                "_longjmp",    "siglongjmp", "getcontext", "setcontext",  "swapcontext",
                                                "makecontext", "vfork",      "clone"};
  constexpr std::string_view builtin = "__builtin_";
  if (name.starts_with(builtin)) name.remove_prefix(builtin.size());
  return std::ranges::find(kJumps, name) != std::end(kJumps);
}

std::vector<const clang::FieldDecl*> fields_of(const clang::InitListExpr* list) {
  std::vector<const clang::FieldDecl*> fields;
  const clang::RecordDecl* record = list->getType()->getAsRecordDecl();
  if (record == nullptr || record->isUnion()) return fields;
  if (const auto* made = llvm::dyn_cast<clang::CXXRecordDecl>(record); made != nullptr && made->getNumBases() > 0)
    return fields;  // which come first
  for (const clang::FieldDecl* field : record->fields())
    if (!field->isUnnamedBitField()) fields.push_back(field);
  return fields;
}

}  // namespace cppc::frontend
