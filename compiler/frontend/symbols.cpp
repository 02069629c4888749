#include <clang/AST/Attr.h>

#include "attributes.hpp"
#include "cxx.hpp"
#include "lowering.hpp"
#include "syntax.hpp"

namespace cppc::frontend {

ir::Position position(const clang::SourceManager& manager, clang::SourceLocation where, ir::Program& program) {
  const clang::PresumedLoc presumed = manager.getPresumedLoc(manager.getExpansionLoc(where));
  if (presumed.isInvalid()) return {};
  const std::string name = presumed.getFilename();
  const auto found = std::ranges::find(program.files, name);
  const auto file = static_cast<ir::Index>(found - program.files.begin());
  if (found == program.files.end()) program.files.push_back(name);
  return {file, presumed.getLine(), presumed.getColumn()};
}

namespace {

/// The function in which a variable is declared, perhaps inside a region of OpenMP, which Clang captures.
const clang::FunctionDecl* function_of(const clang::VarDecl* variable) {
  const clang::DeclContext* context = variable->getDeclContext();
  while (llvm::isa<clang::CapturedDecl>(context)) context = context->getParent();
  return llvm::dyn_cast<clang::FunctionDecl>(context);
}

std::string full_name(const clang::VarDecl* variable) {
  if (variable->getASTContext().getLangOpts().CPlusPlus && variable->hasGlobalStorage()) return linker_name(variable);
  const auto* function = function_of(variable);
  const std::string own = variable->getNameAsString();
  return function == nullptr ? own : function->getNameAsString() + "." + own;
}

/// The definition, a tentative one too.
const clang::VarDecl* definition_of(const clang::VarDecl* declaration) {
  if (const clang::VarDecl* definition = declaration->getDefinition()) return definition;
  for (clang::VarDecl* other : declaration->redecls())  // which may begin with an extern one
    if (other->isThisDeclarationADefinition() == clang::VarDecl::TentativeDefinition)
      return other->getActingDefinition();
  return nullptr;
}

}  // namespace

ir::Node Symbols::variable(const clang::VarDecl* declaration) {
  declaration = declaration->getCanonicalDecl();
  if (const auto found = source_.nodes.find(declaration); found != source_.nodes.end()) return found->second;
  const bool external = declaration->hasExternalFormalLinkage();
  const std::string name = full_name(declaration);
  if (external) {
    if (const auto found = externals_.find(name); found != externals_.end()) {
      if (const auto* defined = definition_of(declaration)) {
        source_.variables[program_.objects[found->second].handle] = {unit, defined};
        program_.objects[found->second].defined = true;
      }
      return source_.nodes[declaration] = found->second;
    }
  }
  const bool fixed = declaration->hasGlobalStorage();
  auto& ast = source_.units[unit].ast->getASTContext();
  clang::QualType type = declaration->getType();
  if (type->isReferenceType()) type = ast.getPointerType(type.getNonReferenceType());
  ir::Object object{.storage = fixed ? ir::Storage::global : ir::Storage::local, .scalar = is_one_value(type)};
  if (const auto* owner = function_of(declaration); owner != nullptr && !fixed) object.function = function(owner);
  object.handle = static_cast<ir::Index>(source_.variables.size());
  const clang::VarDecl* definition = definition_of(declaration);
  object.defined = !fixed || definition != nullptr;
  const clang::QualType element = ast.getBaseElementType(type);
  object.number = element->isIntegerType() && ast.getTypeSize(element) >= ast.getTypeSize(ast.VoidPtrTy);
  object.of_thread =
      declaration->getTLSKind() != clang::VarDecl::TLS_None || declaration->hasAttr<clang::OMPThreadPrivateDeclAttr>();
  object.constant = type.isConstQualified() || ast.getBaseElementType(type).isConstQualified();
  if (!type->isIncompleteType() && !type->isVariablyModifiedType())
    object.bytes = static_cast<std::uint64_t>(ast.getTypeSizeInChars(type).getQuantity());
  source_.variables.push_back({unit, definition != nullptr ? definition : declaration});
  const auto& manager = source_.units[unit].ast->getSourceManager();
  const bool static_in_cxx = fixed && ast.getLangOpts().CPlusPlus;
  const ir::Node node = program_.add(object, static_in_cxx ? declaration->getQualifiedNameAsString() : name,
                                     position(manager, declaration->getLocation(), program_));
  program_.types.emplace(node, type.getAsString(ast.getPrintingPolicy()));
  if (external) externals_.emplace(name, node);
  find_pointers(node, type);
  return source_.nodes[declaration] = node;
}

/// How often a structure has each member, also in structures within it; in arrays more than once.
void Symbols::count_members(const clang::RecordDecl* record, int times, std::map<ir::Index, int>& counts,
                            std::set<ir::Index>& pointers) {
  const auto& ast = source_.units[unit].ast->getASTContext();
  if (const auto* made = llvm::dyn_cast<clang::CXXRecordDecl>(record)) {
    if (is_of_system(made)) return;
    for (const auto& base : made->bases())
      if (const auto* part = base.getType()->getAsCXXRecordDecl(); part != nullptr && part->getDefinition() != nullptr)
        count_members(part->getDefinition(), times, counts, pointers);
  }
  for (const clang::FieldDecl* field : record->fields()) {
    const int here = field->getType()->isArrayType() ? 2 : times;
    const clang::QualType type = ast.getBaseElementType(field->getType());
    if (const auto* part = type->getAsRecordDecl(); part != nullptr && !is_one_value(type)) {
      if (part->getDefinition() != nullptr) count_members(part->getDefinition(), here, counts, pointers);
      continue;
    }
    const ir::Index index = member(field);
    if (index == ir::none) continue;
    counts[index] += here;
    const Kind kind = kind_of(field->getType());
    if (kind == Kind::pointer || kind == Kind::owner) pointers.insert(index);
  }
}

void Symbols::find_pointers(ir::Node variable, clang::QualType type) {
  const auto* record = (type->isPointerType() ? type->getPointeeType() : type)->getAsRecordDecl();
  if (record == nullptr || record->getDefinition() == nullptr) return;
  std::map<ir::Index, int> counts;
  std::set<ir::Index> pointers;
  count_members(record->getDefinition(), 1, counts, pointers);
  std::erase_if(pointers, [&](ir::Index member) { return counts[member] > 1; });
  if (!pointers.empty()) program_.pointers.emplace(variable, std::move(pointers));
}

ir::Index Symbols::function(const clang::FunctionDecl* declaration) {
  declaration = declaration->getCanonicalDecl();
  if (const auto found = functions_.find(declaration); found != functions_.end()) return found->second;
  const bool external = declaration->isExternallyVisible();
  const bool in_cxx = declaration->getASTContext().getLangOpts().CPlusPlus && !declaration->isExternC();
  const bool of_library = is_of_system(declaration) && !is_lowered_function(declaration);
  const std::string name = !in_cxx      ? declaration->getNameAsString()
                           : of_library ? library_name(declaration)
                                        : linker_name(declaration);
  if (external) {
    if (const auto found = functions_by_name_.find(name); found != functions_by_name_.end())
      return functions_[declaration] = found->second;
  }
  const auto index = static_cast<ir::Index>(program_.functions.size());
  ir::Function function{.name = name};
  function.handle = static_cast<ir::Index>(source_.functions.size());
  const unsigned builtin = declaration->getBuiltinID();
  function.computes = name.starts_with("__builtin_") && builtin != 0 &&
                      source_.units[unit].ast->getASTContext().BuiltinInfo.isConst(builtin);
  source_.functions.push_back({unit, declaration});
  program_.functions.push_back(std::move(function));
  if (external) functions_by_name_.emplace(name, index);
  return functions_[declaration] = index;
}

ir::Node Symbols::function_object(const clang::FunctionDecl* declaration) {
  const ir::Index index = function(declaration);
  if (const auto found = function_objects_.find(index); found != function_objects_.end()) return found->second;
  const auto& manager = source_.units[unit].ast->getSourceManager();
  if (jumps_elsewhere(program_.functions[index].name))
    program_.unclear = program_.functions[index].name + "() is called by a pointer";
  const ir::Node node =
      program_.add({.storage = ir::Storage::function,
                    .address_taken = true,
                    .function = index,
                    .handle = program_.functions[index].handle},
                   program_.functions[index].name, position(manager, declaration->getLocation(), program_));
  return function_objects_[index] = node;
}

/// The nameless object of a compound literal.
ir::Node Symbols::compound(const clang::Expr* literal, ir::Index function) {
  if (const auto found = literals_.find(literal); found != literals_.end()) return found->second;
  const auto storage = function == ir::none ? ir::Storage::global : ir::Storage::local;
  const auto& manager = source_.units[unit].ast->getSourceManager();
  return literals_[literal] = program_.add({.storage = storage,
                                            .scalar = is_one_value(literal->getType()),
                                            .address_taken = true,
                                            .function = function},
                                           "(compound literal)", position(manager, literal->getBeginLoc(), program_));
}

/// None when others may be in the same memory, or when it is a structure: its members have names of their own.
ir::Index Symbols::member(const clang::ValueDecl* declaration) {
  const auto* field = llvm::dyn_cast_or_null<clang::FieldDecl>(declaration);
  const auto& ast = source_.units[unit].ast->getASTContext();
  if (field == nullptr || !is_one_value(ast.getBaseElementType(field->getType()))) return ir::none;
  const std::string family = distinct_members_.family(field), name = field->getNameAsString();
  if (family.empty()) return ir::none;
  const auto [entry, fresh] = members_.try_emplace({family, name}, static_cast<ir::Index>(program_.members.size()));
  if (fresh) program_.members.push_back({family, name});
  return entry->second;
}

void Symbols::escape(ir::Node object) {
  const ir::Node address = program_.add({});
  program_.objects[object].address_taken = true;
  program_.initial.push_back({ir::Op::address, address, object});
  program_.initial.push_back({ir::Op::change, program_.unknown, address});
}

}  // namespace cppc::frontend
