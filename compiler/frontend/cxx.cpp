#include "cxx.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <iterator>

#include "syntax.hpp"

namespace cppc::frontend {

namespace {

const clang::CXXRecordDecl* class_of(clang::QualType type) {
  return type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
}

/// The class template of the standard library that a class is made from; empty for any other.
llvm::StringRef library_template(const clang::CXXRecordDecl* record) {
  const auto* made = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (made == nullptr || made->getIdentifier() == nullptr || !is_of_system(made)) return {};
  const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(made->getEnclosingNamespaceContext());
  const bool known = made->isInStdNamespace() || (space != nullptr && space->getName() == "__gnu_cxx");
  return known ? made->getName() : llvm::StringRef();
}

clang::QualType argument(const clang::CXXRecordDecl* record, unsigned i) {
  const auto& arguments = llvm::cast<clang::ClassTemplateSpecializationDecl>(record)->getTemplateArgs();
  if (i >= arguments.size() || arguments[i].getKind() != clang::TemplateArgument::Type) return {};
  return arguments[i].getAsType();
}

/// Whether the argument is the library's own class of this name: the allocator or deleter that nobody has replaced.
bool is_default(const clang::CXXRecordDecl* record, unsigned i, llvm::StringRef name) {
  const clang::QualType type = argument(record, i);
  return !type.isNull() && library_template(type->getAsCXXRecordDecl()) == name;
}

}  // namespace

bool is_of_system(const clang::Decl* declaration) {
  const auto& manager = declaration->getASTContext().getSourceManager();
  if (declaration->getLocation().isInvalid() || manager.isInSystemHeader(declaration->getLocation())) return true;
  for (const clang::DeclContext* around = declaration->getDeclContext(); around != nullptr;
       around = around->getParent())
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(around);
        space != nullptr && space->getDeclContext()->isTranslationUnit() && space->getName() == "MPI")
      return true;
  return false;
}

std::string linker_name(const clang::NamedDecl* declaration) {
  const std::string plain = declaration->getNameAsString();
  if (!declaration->getASTContext().getLangOpts().CPlusPlus) return plain;
  const std::unique_ptr<clang::MangleContext> mangling(declaration->getASTContext().createMangleContext());
  if (!mangling->shouldMangleDeclName(declaration)) return plain;
  clang::GlobalDecl which;
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(declaration))
    which = clang::GlobalDecl(constructor, clang::Ctor_Complete);
  else if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(declaration))
    which = clang::GlobalDecl(destructor, clang::Dtor_Complete);
  else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
    which = clang::GlobalDecl(function);
  else
    which = clang::GlobalDecl(llvm::cast<clang::VarDecl>(declaration));
  std::string name;
  llvm::raw_string_ostream out(name);
  mangling->mangleName(which, out);
  return name;
}

std::string library_name(const clang::FunctionDecl* function) {
  std::string name = function->getNameAsString();
  if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function); method != nullptr) {
    if (llvm::isa<clang::CXXConstructorDecl>(method)) name = "(constructor)";
    if (llvm::isa<clang::CXXDestructorDecl>(method)) name = "(destructor)";
    if (llvm::isa<clang::CXXConversionDecl>(method)) name = "(conversion)";
  }
  for (const clang::DeclContext* around = function->getDeclContext(); around != nullptr; around = around->getParent()) {
    const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(around);
    if (space != nullptr && space->isInline()) continue;
    if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(around); named != nullptr)
      name.insert(0, named->getNameAsString() + "::");
  }
  return name;
}

bool is_lowered_function(const clang::FunctionDecl* function) {
  const auto* named = function->getIdentifier();
  return named != nullptr && named->getName() == "make_unique" && function->isInStdNamespace();
}

Kind kind_of(clang::QualType type) {
  if (type.isNull() || type->isReferenceType()) return Kind::other;
  if (type->isPointerType()) return Kind::pointer;
  const clang::CXXRecordDecl* record = class_of(type);
  const llvm::StringRef name = library_template(record);
  if (name == "__normal_iterator") return argument(record, 0)->isPointerType() ? Kind::pointer : Kind::other;
  if (name == "array") return Kind::array;
  if (name == "vector" && is_default(record, 1, "allocator") && !argument(record, 0)->isBooleanType())
    return Kind::owner;
  if (name == "unique_ptr" && is_default(record, 1, "default_delete")) return Kind::owner;
  return Kind::other;
}

clang::QualType element_of(clang::QualType type) {
  const clang::QualType element = argument(class_of(type), 0);
  const auto* array = element->getAsArrayTypeUnsafe();
  return array != nullptr ? array->getElementType() : element;
}

clang::QualType pointee_of(clang::QualType type) {
  if (type->isPointerType()) return type->getPointeeType();
  return kind_of(type) == Kind::pointer ? argument(class_of(type), 0)->getPointeeType() : clang::QualType();
}

bool is_replaced(clang::QualType type) {
  if (type.isNull() || type.isVolatileQualified() || !is_simple(type) || kind_of(type) == Kind::owner) return false;
  if (kind_of(type) == Kind::array) return is_replaced(element_of(type));
  return type->isScalarType() || type->isRecordType();
}

bool is_vector(clang::QualType type) {
  if (type->isPointerType()) type = type->getPointeeType();
  return kind_of(type) == Kind::owner && class_of(type)->getName() == "vector";
}

bool is_simple(clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  while (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  const Kind kind = kind_of(type);
  if (kind == Kind::pointer) return true;
  if (kind == Kind::owner || kind == Kind::array) return is_simple(element_of(type));
  const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
  if (record == nullptr) return type->isScalarType() || type->isVectorType();
  return record->getDefinition() != nullptr && record->isTriviallyCopyable() && record->hasTrivialDestructor() &&
         record->getNumVBases() == 0;
}

bool is_one_value(clang::QualType type) {
  const Kind kind = kind_of(type);
  return type->isScalarType() || type->isReferenceType() || kind == Kind::pointer || kind == Kind::owner;
}

bool calls_program(clang::QualType type) {
  type = type.getNonReferenceType().getCanonicalType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType() : type->getAsArrayTypeUnsafe()->getElementType();
  if (type->isFunctionType() || type->isMemberPointerType()) return true;
  const auto* record = type->getAsCXXRecordDecl();
  if (record == nullptr) return false;
  if (!is_of_system(record)) return true;
  const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  if (made == nullptr) return false;
  const auto& arguments = made->getTemplateArgs().asArray();
  const auto calls = [](const clang::TemplateArgument& argument) {
    return argument.getKind() == clang::TemplateArgument::Type ? calls_program(argument.getAsType())
                                                               : argument.getKind() == clang::TemplateArgument::Pack;
  };
  return std::ranges::any_of(arguments, calls);
}

bool replaces_allocation(const clang::FunctionDecl* function) {
  const auto name = function->getOverloadedOperator();
  const bool allocates = name == clang::OO_New || name == clang::OO_Array_New || name == clang::OO_Delete ||
                         name == clang::OO_Array_Delete;
  return allocates && !is_of_system(function);
}

bool has_value_from_start(const clang::VarDecl* variable) {
  const clang::Expr* init = variable->getInit();
  const auto& ast = variable->getASTContext();
  const bool list = llvm::isa<clang::InitListExpr>(init->IgnoreParenImpCasts());
  const bool record = ast.getBaseElementType(variable->getType())->isRecordType();
  if (!list && (record || variable->getType()->isReferenceType())) return false;
  return init->isConstantInitializer(const_cast<clang::ASTContext&>(ast), false);
}

const clang::CXXDestructorDecl* destructor_of(clang::QualType type) {
  while (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
  const auto* record = type->getAsCXXRecordDecl();
  if (type->isReferenceType() || record == nullptr || record->getDefinition() == nullptr) return nullptr;
  return record->getDefinition()->hasTrivialDestructor() ? nullptr : record->getDefinition()->getDestructor();
}

bool is_virtual_call(const clang::CallExpr* call) {
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
  if (method == nullptr || !method->isVirtual()) return false;
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParens());
  return member == nullptr || !member->hasQualifier();
}

const clang::Expr* object_of(const clang::CallExpr* call) {
  if (const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(call)) return member->getImplicitObjectArgument();
  const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
  const bool by_operator = llvm::isa<clang::CXXOperatorCallExpr>(call) && method != nullptr;
  return by_operator && method->isImplicitObjectMemberFunction() ? call->getArg(0) : nullptr;
}

llvm::ArrayRef<const clang::Expr*> arguments_of(const clang::CallExpr* call) {
  const llvm::ArrayRef<const clang::Expr*> all(call->getArgs(), call->getNumArgs());
  return llvm::isa<clang::CXXOperatorCallExpr>(call) && object_of(call) != nullptr ? all.drop_front() : all;
}

std::vector<const clang::Expr*> operands_of(const clang::CallExpr* call) {
  std::vector<const clang::Expr*> operands;
  if (const clang::Expr* object = object_of(call)) operands.push_back(object);
  const auto arguments = arguments_of(call);
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  return operands;
}

bool refers(const clang::InitListExpr* list, unsigned i) {
  const auto* record = list->getType()->getAsCXXRecordDecl();
  if (record == nullptr) return list->getType()->isReferenceType();
  const auto fields = fields_of(list);
  return i >= fields.size() || fields[i]->getType()->isReferenceType();
}

Element element(const clang::Expr* e) {
  e = e->IgnoreParens();
  if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(e))
    return {subscript->getBase(), subscript->getIdx()};
  const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e);
  if (call == nullptr || call->getOperator() != clang::OO_Subscript || call->getNumArgs() != 2) return {};
  return kind_of(call->getArg(0)->getType()) != Kind::other ? Element{call->getArg(0), call->getArg(1)} : Element{};
}

bool only_locates(const clang::CallExpr* call) {
  const clang::Expr* object = object_of(call);
  if (object == nullptr || call->getDirectCallee() == nullptr) return false;
  clang::QualType type = object->getType();
  if (llvm::isa<clang::CXXMemberCallExpr>(call) && type->isPointerType()) type = type->getPointeeType();
  if (kind_of(type) == Kind::other || type->isPointerType()) return false;
  static constexpr const char* kNames[] = {"operator[]", "data",       "size",      "get",       "empty",
                                           "operator*",  "operator->", "operator+", "operator-", "begin",
                                           "end",        "cbegin",     "cend",      "capacity"};
  return std::ranges::find(kNames, call->getDirectCallee()->getNameAsString()) != std::end(kNames);
}

}  // namespace cppc::frontend
