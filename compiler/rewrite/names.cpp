#include "names.hpp"

#include <clang/AST/DeclTemplate.h>

namespace cppc::rewrite {

std::string name_of(const clang::VarDecl* variable) {
  std::string name = variable->getNameAsString();
  if (!variable->getASTContext().getLangOpts().CPlusPlus || !variable->hasGlobalStorage() || variable->isStaticLocal())
    return name;
  for (const clang::DeclContext* around = variable->getDeclContext(); around != nullptr; around = around->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(around);
    if (space != nullptr && (space->isInline() || space->isAnonymousNamespace())) continue;
    if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(around)) name.insert(0, named->getNameAsString() + "::");
  }
  return "::" + name;
}

bool can_be_named(const clang::VarDecl* variable, const clang::FunctionDecl* from) {
  if (!variable->hasGlobalStorage() || variable->isStaticLocal()) return true;
  if (llvm::isa<clang::VarTemplateSpecializationDecl>(variable)) return false;
  for (const clang::DeclContext* around = variable->getDeclContext(); around != nullptr; around = around->getParent())
    if (llvm::isa<clang::ClassTemplateSpecializationDecl>(around)) return false;
  return may_access(variable, from);
}

bool may_access(const clang::ValueDecl* member, const clang::FunctionDecl* from) {
  if (!member->getASTContext().getLangOpts().CPlusPlus) return true;
  for (const clang::Decl* one = member; one != nullptr;) {
    const clang::DeclContext* around = one->getDeclContext();
    const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(around);
    if (record == nullptr) return true;
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(from);
    const bool ours = method != nullptr && &method->getASTContext() == &record->getASTContext() &&
                      method->getParent()->getCanonicalDecl() == record->getCanonicalDecl();
    if (ours) return true;
    if (one->getAccess() == clang::AS_private || one->getAccess() == clang::AS_protected) return false;
    one = record;
  }
  return true;
}

}  // namespace cppc::rewrite
