#include "members.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include "cxx.hpp"

namespace cppc::frontend {

namespace {

/// The same for compatible types of different files.
std::string key(const clang::RecordDecl* record) {
  if (record->getIdentifier() != nullptr) return record->getName().str();
  std::string members = "{";
  for (const clang::FieldDecl* field : record->fields()) members.append(" ").append(field->getNameAsString());
  return members;
}

const clang::RecordDecl* record_of(clang::QualType type) {
  while (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  return type->getAsRecordDecl();
}

class Finder : public clang::RecursiveASTVisitor<Finder> {
 public:
  Finder(Members& members, bool cxx) : members_(members), cxx_(cxx) {}

  bool shouldVisitTemplateInstantiations() const { return cxx_; }
  bool shouldVisitImplicitCode() const { return cxx_; }
  /// What is in headers of C++'s library is of no family.
  bool TraverseDecl(clang::Decl* declaration) {
    const bool library = cxx_ && declaration != nullptr && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
                         !llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration) &&
                         is_of_system(declaration);
    return library || RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitRecordDecl(clang::RecordDecl* record) {
    if (record->isCompleteDefinition() && !record->isDependentType()) members_.see(record);
    return true;
  }
  bool VisitCastExpr(clang::CastExpr* cast) {
    const clang::QualType from = cast->getSubExpr()->getType(), to = cast->getType();
    const auto kind = cast->getCastKind();
    const bool in_hierarchy = kind == clang::CK_DerivedToBase || kind == clang::CK_UncheckedDerivedToBase ||
                              kind == clang::CK_BaseToDerived || kind == clang::CK_Dynamic;  // one family
    if (in_hierarchy || from->isDependentType() || to->isDependentType()) return true;
    if (to->isPointerType() && from->isPointerType())
      members_.see_conversion(from->getPointeeType(), to->getPointeeType());
    else if (kind == clang::CK_LValueBitCast)
      members_.see_conversion(from, to);
    return true;
  }

 private:
  Members& members_;
  const bool cxx_;
};

}  // namespace

Members::Members(const Source& source) {
  for (const Unit& unit : source.units) {
    auto& ast = unit.ast->getASTContext();
    Finder(*this, ast.getLangOpts().CPlusPlus).TraverseDecl(ast.getTranslationUnitDecl());
  }
  for (const std::string& record : blurred_) blurred_families_.insert(leader(record));
}

std::string Members::leader(std::string record) const {
  for (auto next = joined_.find(record); next != joined_.end(); next = joined_.find(record)) record = next->second;
  return record;
}

void Members::see(const clang::RecordDecl* record) {
  const std::string own = key(record);
  if (record->isUnion()) blurred_.insert(own);
  const auto* made = llvm::dyn_cast<clang::CXXRecordDecl>(record);
  const auto join = [&](const clang::RecordDecl* part) {
    if (part == nullptr || (made != nullptr && is_of_system(part))) return;
    const std::string to = leader(own), from = leader(key(part));
    if (to != from) joined_[from] = to;
  };
  if (made != nullptr)
    for (const auto& base : made->bases()) join(base.getType()->getAsRecordDecl());
  for (const clang::FieldDecl* field : record->fields()) {
    join(record_of(field->getType()));
  }
}

void Members::see_conversion(clang::QualType from, clang::QualType to) {
  const clang::RecordDecl *one = record_of(from), *other = record_of(to);
  if (one == nullptr || other == nullptr || key(one) == key(other)) return;
  blurred_.insert(key(one));
  blurred_.insert(key(other));
}

std::string Members::family(const clang::FieldDecl* member) {
  if (llvm::isa<clang::CXXRecordDecl>(member->getParent()) && is_of_system(member->getParent())) return {};
  const auto [known, fresh] = families_.try_emplace(member->getParent());
  if (fresh) known->second = leader(key(member->getParent()));
  const bool distinct = member->getIdentifier() != nullptr && !blurred_families_.contains(known->second);
  return distinct ? known->second : std::string();
}

}  // namespace cppc::frontend
