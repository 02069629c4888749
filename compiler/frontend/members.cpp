#include "members.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

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
  explicit Finder(Members& members) : members_(members) {}

  bool VisitRecordDecl(clang::RecordDecl* record) {
    if (record->isCompleteDefinition()) members_.see(record);
    return true;
  }
  bool VisitCastExpr(clang::CastExpr* cast) {
    if (cast->getType()->isPointerType() && cast->getSubExpr()->getType()->isPointerType())
      members_.see_conversion(cast->getSubExpr()->getType()->getPointeeType(), cast->getType()->getPointeeType());
    return true;
  }

 private:
  Members& members_;
};

}  // namespace

Members::Members(const Source& source) {
  for (const Unit& unit : source.units) Finder(*this).TraverseDecl(unit.ast->getASTContext().getTranslationUnitDecl());
  for (const std::string& record : blurred_) blurred_families_.insert(leader(record));
}

std::string Members::leader(std::string record) const {
  for (auto next = joined_.find(record); next != joined_.end(); next = joined_.find(record)) record = next->second;
  return record;
}

void Members::see(const clang::RecordDecl* record) {
  const std::string own = key(record);
  if (record->isUnion()) blurred_.insert(own);
  for (const clang::FieldDecl* field : record->fields()) {
    const clang::RecordDecl* part = record_of(field->getType());
    if (part == nullptr) continue;
    const std::string to = leader(own), from = leader(key(part));
    if (to != from) joined_[from] = to;
  }
}

void Members::see_conversion(clang::QualType from, clang::QualType to) {
  const clang::RecordDecl *one = record_of(from), *other = record_of(to);
  if (one == nullptr || other == nullptr || key(one) == key(other)) return;
  blurred_.insert(key(one));
  blurred_.insert(key(other));
}

std::string Members::family(const clang::FieldDecl* member) {
  const auto [known, fresh] = families_.try_emplace(member->getParent());
  if (fresh) known->second = leader(key(member->getParent()));
  const bool told_apart = member->getIdentifier() != nullptr && !blurred_families_.contains(known->second);
  return told_apart ? known->second : std::string();
}

}  // namespace cppc::frontend
