#include "exceptions.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

#include "cxx.hpp"

namespace cppc::frontend {

namespace {

bool is_nothrow(clang::QualType type) {
  const auto* prototype = type->getAs<clang::FunctionProtoType>();
  return prototype != nullptr && prototype->isNothrow();
}

/// Whether which function it is is known at run time only.
bool is_virtual(const clang::CallExpr* call, const clang::FunctionDecl* callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method == nullptr || !method->isVirtual()) return false;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParens());
  return member == nullptr || !member->hasQualifier();
}

/// MPI's do not, and C's only where they call the program.
bool may_leave_library(const clang::FunctionDecl* callee) {
  const auto is_function = [](const clang::ParmVarDecl* one) { return one->getType()->isFunctionPointerType(); };
  return !callee->getName().starts_with("MPI_") && std::ranges::any_of(callee->parameters(), is_function);
}

bool destruction_throws(clang::QualType type) {
  const clang::CXXDestructorDecl* destructor = destructor_of(type);
  return destructor != nullptr && may_throw_from(destructor);
}

}  // namespace

bool may_throw_from(const clang::CXXDestructorDecl* destructor) {
  const auto* prototype = destructor->getType()->getAs<clang::FunctionProtoType>();
  const bool known = prototype != nullptr && !clang::isUnresolvedExceptionSpec(prototype->getExceptionSpecType());
  return known && !prototype->isNothrow();
}

bool Exceptions::may_come_from(const clang::CallExpr* call) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (callee == nullptr) {
    const clang::QualType type = call->getCallee()->getType();
    return !is_nothrow(type->isPointerType() ? type->getPointeeType() : type);
  }
  if (callee->getBuiltinID() != 0) return false;
  if (callee->isExternC() && (is_of_system(callee) || callee->getName().starts_with("MPI_")))
    return may_leave_library(callee);
  return !is_nothrow(callee->getType()) && (is_virtual(call, callee) || may_leave(callee));
}

bool Exceptions::may_come_from(const clang::CXXConstructorDecl* constructor) {
  return !is_nothrow(constructor->getType()) && may_leave(constructor);
}

bool Exceptions::may_leave(const clang::FunctionDecl* function) {
  const clang::FunctionDecl* defined = nullptr;
  if (is_of_system(function) || !function->hasBody(defined)) return true;
  const auto [found, fresh] = known_.try_emplace(defined, true);
  if (!fresh) return found->second;
  bool may = may_leave(defined->getBody());
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(defined))
    for (const clang::CXXCtorInitializer* one : constructor->inits()) may = may || may_leave(one->getInit());
  return known_[defined] = may;
}

bool Exceptions::may_leave(const clang::Stmt* s) {
  using clang::Stmt;
  if (s == nullptr) return false;
  switch (s->getStmtClass()) {
    case Stmt::CXXThrowExprClass:
    case Stmt::CXXNewExprClass:
    case Stmt::CXXDeleteExprClass:
    case Stmt::CXXDynamicCastExprClass:
    case Stmt::CXXTypeidExprClass:
    case Stmt::CoroutineBodyStmtClass:
      return true;
    case Stmt::CXXBindTemporaryExprClass:
      if (destruction_throws(llvm::cast<clang::CXXBindTemporaryExpr>(s)->getType())) return true;
      break;
    case Stmt::DeclStmtClass:
      for (const clang::Decl* d : llvm::cast<clang::DeclStmt>(s)->decls())
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(d);
            variable != nullptr && destruction_throws(variable->getType()))
          return true;
      break;
    case Stmt::CXXDefaultArgExprClass:
      return may_leave(llvm::cast<clang::CXXDefaultArgExpr>(s)->getExpr());
    case Stmt::CXXDefaultInitExprClass:
      return may_leave(llvm::cast<clang::CXXDefaultInitExpr>(s)->getExpr());
    default:
      break;
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(s); call != nullptr && may_come_from(call)) return true;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(s);
      made != nullptr && may_come_from(made->getConstructor()))
    return true;
  return std::any_of(s->child_begin(), s->child_end(), [this](const clang::Stmt* child) { return may_leave(child); });
}

}  // namespace cppc::frontend
