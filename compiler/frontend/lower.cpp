#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/Support/PrettyStackTrace.h>

#include "attributes.hpp"
#include "ir/renumber.hpp"
#include "lowering.hpp"
#include "prototypes.hpp"

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
  const clang::QualType type = declaration->getType();
  ir::Object object{.storage = fixed ? ir::Storage::global : ir::Storage::local, .scalar = type->isScalarType()};
  if (const auto* owner = function_of(declaration); owner != nullptr && !fixed) object.function = function(owner);
  object.handle = static_cast<ir::Index>(source_.variables.size());
  const clang::VarDecl* definition = definition_of(declaration);
  object.defined = !fixed || definition != nullptr;
  auto& ast = source_.units[unit].ast->getASTContext();
  const clang::QualType element = ast.getBaseElementType(type);
  object.number = element->isIntegerType() && ast.getTypeSize(element) >= ast.getTypeSize(ast.VoidPtrTy);
  object.of_thread =
      declaration->getTLSKind() != clang::VarDecl::TLS_None || declaration->hasAttr<clang::OMPThreadPrivateDeclAttr>();
  object.constant = type.isConstQualified() || ast.getBaseElementType(type).isConstQualified();
  if (!type->isIncompleteType() && !type->isVariablyModifiedType())
    object.bytes = static_cast<std::uint64_t>(ast.getTypeSizeInChars(type).getQuantity());
  source_.variables.push_back({unit, definition != nullptr ? definition : declaration});
  const auto& manager = source_.units[unit].ast->getSourceManager();
  const ir::Node node = program_.add(object, name, position(manager, declaration->getLocation(), program_));
  program_.types.emplace(node, type.getAsString(ast.getPrintingPolicy()));
  if (external) externals_.emplace(name, node);
  find_pointers(node, type);
  return source_.nodes[declaration] = node;
}

/// How often a structure has each member, also in structures within it; in arrays more than once.
void Symbols::count_members(const clang::RecordDecl* record, int times, std::map<ir::Index, int>& counts,
                            std::set<ir::Index>& pointers) {
  const auto& ast = source_.units[unit].ast->getASTContext();
  for (const clang::FieldDecl* field : record->fields()) {
    const int here = field->getType()->isArrayType() ? 2 : times;
    if (const auto* part = ast.getBaseElementType(field->getType())->getAsRecordDecl(); part != nullptr) {
      if (part->getDefinition() != nullptr) count_members(part->getDefinition(), here, counts, pointers);
      continue;
    }
    const ir::Index index = member(field);
    if (index == ir::none) continue;
    counts[index] += here;
    if (field->getType()->isPointerType()) pointers.insert(index);
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
  const std::string name = declaration->getNameAsString();
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
                                            .scalar = literal->getType()->isScalarType(),
                                            .address_taken = true,
                                            .function = function},
                                           "(compound literal)", position(manager, literal->getBeginLoc(), program_));
}

/// None when others may be in the same memory, or when it is a structure: its members have names of their own.
ir::Index Symbols::member(const clang::ValueDecl* declaration) {
  const auto* field = llvm::dyn_cast_or_null<clang::FieldDecl>(declaration);
  const auto& ast = source_.units[unit].ast->getASTContext();
  if (field == nullptr || !ast.getBaseElementType(field->getType())->isScalarType()) return ir::none;
  const std::string family = told_apart_.family(field), name = field->getNameAsString();
  if (family.empty()) return ir::none;
  const auto [entry, fresh] = members_.try_emplace({family, name}, static_cast<ir::Index>(program_.members.size()));
  if (fresh) program_.members.push_back({family, name});
  return entry->second;
}

namespace {

/// Lowers every definition of a unit, in its order.
class Definitions : public clang::RecursiveASTVisitor<Definitions> {
 public:
  explicit Definitions(Symbols& symbols) : symbols_(symbols) {}

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    see_name(function);
    if (!function->doesThisDeclarationHaveABody()) return true;
    const ir::Index index = symbols_.function(function);
    if (symbols_.program().functions[index].defined) {
      // An inline function of a header; or one of two that the linker chooses from.
      if (!function->isInlined()) unclear(function, "has several definitions");
      return true;
    }
    if (function->hasAttr<clang::ConstructorAttr>() || function->hasAttr<clang::DestructorAttr>())
      symbols_.escape(symbols_.function_object(function));
    symbols_.source().functions[symbols_.program().functions[index].handle] = {symbols_.unit, function};
    Lowering(symbols_, function, index).run();
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    if (!variable->hasGlobalStorage() || llvm::isa<clang::ParmVarDecl>(variable)) return true;
    const ir::Node node = symbols_.variable(variable);
    if (variable->hasInit()) Lowering::initialiser(symbols_, node, variable->getInit());
    if (variable->hasAttr<clang::SectionAttr>()) symbols_.escape(node);  // the linker's symbols may lead to it
    see_name(variable);
    return true;
  }

  bool VisitFileScopeAsmDecl(clang::FileScopeAsmDecl* /*code*/) {
    symbols_.program().unclear = "there is assembler code outside functions";
    return true;
  }

  bool VisitDecl(clang::Decl* declaration) {
    const auto& manager = symbols_.source().units[symbols_.unit].ast->getSourceManager();
    for (const clang::Attr* attribute : declaration->attrs())
      if (!is_understood(*attribute) && !manager.isInSystemHeader(attribute->getLocation()))
        symbols_.program().unclear = std::string("the attribute '") + attribute->getSpelling() + "' is not followed";
    return true;
  }

 private:
  /// Names by which a variable or function is another one.
  void see_name(const clang::NamedDecl* named) {
    const auto& manager = symbols_.source().units[symbols_.unit].ast->getSourceManager();
    const bool renamed = named->hasAttr<clang::AsmLabelAttr>() && !manager.isInSystemHeader(named->getLocation());
    if (renamed || named->hasAttr<clang::AliasAttr>() || named->hasAttr<clang::WeakRefAttr>() ||
        named->hasAttr<clang::IFuncAttr>())
      unclear(named, "is another name");
    if (named->hasAttr<clang::WeakAttr>() && !manager.isInSystemHeader(named->getLocation()))
      unclear(named, "may be that of another file");
  }

  void unclear(const clang::NamedDecl* named, const std::string& why) {
    symbols_.program().unclear = named->getNameAsString() + " " + why;
  }

  Symbols& symbols_;
};

/// Whether a function is one of a library that does not know the program: it is declared by the system, or the
/// compiler, or it is libf2c's.
bool is_of_library(const clang::FunctionDecl* function, const clang::SourceManager& manager) {
  static constexpr const char* kFortranIo[] = {"s_wsfe", "s_rsfe", "e_wsfe", "e_rsfe", "do_fio", "s_wsle", "s_rsle",
                                               "e_wsle", "e_rsle", "do_lio", "s_wsfi", "s_rsfi", "e_wsfi", "e_rsfi",
                                               "s_wsue", "s_rsue", "e_wsue", "e_rsue", "do_uio", "f_open", "f_clos",
                                               "f_rew",  "f_back", "f_end",  "s_paus", "s_wdue", "s_rdue", "e_wdue",
                                               "e_rdue", "f_inqu", "s_wsli", "s_rsli", "e_wsli", "e_rsli"};
  const auto name = function->getNameAsString();
  if (function->getBuiltinID() != 0 || models::is_of_mpi(name) ||
      std::ranges::find(kFortranIo, name) != std::end(kFortranIo))
    return name != "dlopen";
  return name != "dlopen" && std::ranges::any_of(function->redecls(), [&](const clang::FunctionDecl* declaration) {
           return manager.isInSystemHeader(declaration->getLocation());
         });
}

/// A function without source that has the name of one in the tables, but is declared otherwise, is another one, of
/// which nothing is known.
void tell_namesakes_apart(ir::Program& program, const Source& source, const models::Models& models) {
  for (ir::Function& function : program.functions) {
    if (function.defined || function.handle == ir::none) continue;
    const models::Model* model = models.find(function.name);
    if (model == nullptr || contradiction(*model, *source.functions[function.handle].declaration).empty()) continue;
    function.name = "the program's own " + function.name;
  }
  for (ir::Call& call : program.calls)
    if (call.callee != ir::none && !program.functions[call.callee].defined && call.callee != program.elsewhere)
      call.name = program.functions[call.callee].name;
}

/// A function that is not among the sources, nor a library's, may use every variable and call every function of the
/// program that has a name for the linker.
bool has_other_parts(const ir::Program& program, const Source& source, const models::Models& models) {
  if (!source.left_out.empty()) return true;
  return std::ranges::any_of(program.functions, [&](const ir::Function& function) {
    if (function.defined || function.handle == ir::none || models.find(function.name) != nullptr) return false;
    const auto& [unit, declaration] = source.functions[function.handle];
    return !is_of_library(declaration, source.units[unit].ast->getSourceManager());
  });
}

void escape_all(Symbols& symbols) {
  for (const VariableSite& site : symbols.source().variables)
    if (site.declaration->hasExternalFormalLinkage())
      symbols.escape(symbols.source().nodes.at(site.declaration->getCanonicalDecl()));
  if (!symbols.program().by_address) return;  // else frames say who calls whom: other ways are not taken
  for (ir::Index f = 0; f < symbols.program().functions.size(); ++f) {
    const ir::Function& function = symbols.program().functions[f];
    if (!function.defined) continue;
    const auto& [unit, declaration] = symbols.source().functions[function.handle];
    symbols.unit = unit;
    if (declaration->isExternallyVisible() && !ir::may_begin_in(function.name))
      symbols.escape(symbols.function_object(declaration));
  }
}

}  // namespace

void Symbols::escape(ir::Node object) {
  const ir::Node address = program_.add({});
  program_.objects[object].address_taken = true;
  program_.initial.push_back({ir::Op::address, address, object});
  program_.initial.push_back({ir::Op::change, program_.unknown, address});
}

ir::Program lower(Source& source, const models::Models& models, bool by_address) {
  ir::Program program{.by_address = by_address, .unclear = {}};
  program.unknown = program.add({.storage = ir::Storage::unknown, .address_taken = true}, "(outside)", {});
  program.elsewhere = static_cast<ir::Index>(program.functions.size());
  program.functions.push_back({.name = "(a function outside)"});
  program.text = program.add({.storage = ir::Storage::text, .address_taken = true}, "(text)", {});
  Symbols symbols(source, program, models);
  for (symbols.unit = 0; symbols.unit < source.units.size(); ++symbols.unit) {
    const Unit& unit = source.units[symbols.unit];
    const llvm::PrettyStackTraceFormat in_a_crash("cppc looks at %s", unit.command.file.c_str());
    if (!unit.unknown_attribute.empty())
      program.unclear = "the attribute '" + unit.unknown_attribute + "' is not known";
    Definitions(symbols).TraverseDecl(source.units[symbols.unit].ast->getASTContext().getTranslationUnitDecl());
  }
  tell_namesakes_apart(program, source, models);
  if (has_other_parts(program, source, models)) escape_all(symbols);
  const std::vector<ir::Node> numbers = ir::put_objects_first(program);
  for (auto& [declaration, node] : source.nodes) node = numbers[node];
  return program;
}

}  // namespace cppc::frontend
