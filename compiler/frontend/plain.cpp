#include "plain.hpp"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <algorithm>

#include "cxx.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

namespace {

/// Functions that call functions that call functions.
constexpr int kDepth = 3;

const clang::Expr* result_of(const clang::CallExpr* call, int depth);

/// A temporary object that is an iterator.
bool is_iterator(const clang::Stmt* s) {
  const auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(s);
  return made != nullptr && kind_of(made->getType().getUnqualifiedType()) == Kind::pointer;
}

bool plain_to(const clang::Stmt* s, int depth) {
  if (s == nullptr) return true;
  if (changed_by(s) != nullptr) return false;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(s);
      call != nullptr && !only_locates(call) && result_of(call, depth) == nullptr)
    return false;
  if (!llvm::isa<clang::DeclRefExpr, clang::MemberExpr, clang::ArraySubscriptExpr, clang::ParenExpr, clang::CastExpr,
                 clang::UnaryOperator, clang::BinaryOperator, clang::IntegerLiteral, clang::ConstantExpr,
                 clang::UnaryExprOrTypeTraitExpr, clang::CallExpr, clang::CXXThisExpr,
                 clang::SubstNonTypeTemplateParmExpr>(s) &&
      !is_iterator(s))
    return false;
  return std::ranges::all_of(s->children(), [depth](const clang::Stmt* child) { return plain_to(child, depth); });
}

/// Variables of the function itself would mean nothing elsewhere.
bool only_parameters(const clang::Stmt* s) {
  if (s == nullptr) return true;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s))
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        variable != nullptr && !llvm::isa<clang::ParmVarDecl>(variable))
      return false;
  return std::ranges::all_of(s->children(), only_parameters);
}

const clang::Expr* result_of(const clang::CallExpr* call, int depth) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  const clang::FunctionDecl* definition = nullptr;
  if (depth == 0 || callee == nullptr || !callee->hasBody(definition) || definition->isVariadic()) return nullptr;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && (method->isVirtual() || is_of_system(method))) return nullptr;
  if (arguments_of(call).size() != definition->getNumParams()) return nullptr;
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(definition->getBody());
  if (body == nullptr || body->size() != 1) return nullptr;
  const auto* only = llvm::dyn_cast<clang::ReturnStmt>(body->body_front());
  const clang::Expr* result = only != nullptr ? only->getRetValue() : nullptr;
  return result != nullptr && only_parameters(result) && plain_to(result, depth - 1) ? result : nullptr;
}

}  // namespace

bool plain(const clang::Stmt* expression) { return plain_to(expression, kDepth); }

bool divides(const clang::Stmt* s, const clang::ASTContext& ast) {
  if (s == nullptr) return false;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(s); binary != nullptr && binary->isMultiplicativeOp())
    if (clang::Expr::EvalResult by; binary->getOpcode() != clang::BO_Mul && !binary->getRHS()->EvaluateAsInt(by, ast))
      return true;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(s); call != nullptr && divides(plain_result(call), ast))
    return true;
  return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return divides(child, ast); });
}

const clang::Expr* plain_result(const clang::CallExpr* call) { return result_of(call, kDepth); }

}  // namespace cppc::frontend
