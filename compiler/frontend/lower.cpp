#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/Support/PrettyStackTrace.h>

#include "attributes.hpp"
#include "cxx.hpp"
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
  const std::string family = told_apart_.family(field), name = field->getNameAsString();
  if (family.empty()) return ir::none;
  const auto [entry, fresh] = members_.try_emplace({family, name}, static_cast<ir::Index>(program_.members.size()));
  if (fresh) program_.members.push_back({family, name});
  return entry->second;
}

bool is_one_of_several(const Source& source, ir::Index unit, const clang::FunctionDecl* function) {
  const auto found = source.instantiations.find({unit, function->getLocation().getRawEncoding()});
  return found != source.instantiations.end() && found->second.size() > 1;
}

namespace {

/// Lowers every definition of a unit, in its order.
class Definitions : public clang::RecursiveASTVisitor<Definitions> {
 public:
  explicit Definitions(Symbols& symbols)
      : symbols_(symbols), cxx_(symbols.source().units[symbols.unit].ast->getASTContext().getLangOpts().CPlusPlus) {}

  bool shouldVisitTemplateInstantiations() const { return cxx_; }
  bool shouldVisitImplicitCode() const { return cxx_; }

  /// Of the headers of C++'s library nothing is lowered but what is here on a list.
  bool TraverseDecl(clang::Decl* declaration) {
    if (cxx_ && declaration != nullptr && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
        is_of_system(declaration) && !is_lowered(declaration))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->isTemplated()) return true;
    see_name(function);
    if (replaces_allocation(function)) symbols_.program().unclear = "it has an operator new or delete of its own";
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function)) symbols_.see_virtual(method);
    if (!function->doesThisDeclarationHaveABody() || function->getBody() == nullptr) return true;
    if (cxx_)
      symbols_.source().instantiations[{symbols_.unit, function->getLocation().getRawEncoding()}].insert(
          function->getCanonicalDecl());
    const ir::Index index = symbols_.function(function);
    if (symbols_.program().functions[index].defined) {
      // An inline function of a header; or one of two that the linker chooses from.
      if (!is_chosen_from_several(function)) unclear(function, "has several definitions");
      if (cxx_ && hashes_of(index) != function->getODRHash()) unclear(function, "has definitions that differ");
      return true;
    }
    if (cxx_) symbols_.hashes[index] = function->getODRHash();
    if (function->hasAttr<clang::ConstructorAttr>() || function->hasAttr<clang::DestructorAttr>())
      symbols_.escape(symbols_.function_object(function));
    symbols_.source().functions[symbols_.program().functions[index].handle] = {symbols_.unit, function};
    Lowering(symbols_, function, index).run();
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    if (!variable->hasGlobalStorage() || llvm::isa<clang::ParmVarDecl>(variable) || variable->isTemplated())
      return true;
    const ir::Node node = symbols_.variable(variable);
    const clang::Expr* init = variable->getInit();
    if (cxx_ && variable->hasInit() && !init->isValueDependent() && !has_value_from_start(variable)) {
      if (!variable->isStaticLocal()) Lowering::start_up(symbols_, variable);  // else Lowering::static_local()
    } else if (variable->hasInit() && !init->isValueDependent()) {
      Lowering::initialiser(symbols_, node, init);
    }
    if (cxx_) see_destruction(variable, node);
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
  static bool is_lowered(const clang::Decl* declaration) {
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) return true;
    const auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration);
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (made == nullptr && function == nullptr) return false;
    const auto* named = made != nullptr ? made->getTemplatedDecl() : function;
    return is_lowered_function(named);
  }

  [[nodiscard]] unsigned hashes_of(ir::Index index) const {
    const auto found = symbols_.hashes.find(index);
    return found != symbols_.hashes.end() ? found->second : 0;
  }

  bool is_chosen_from_several(const clang::FunctionDecl* function) const {
    if (!cxx_) return function->isInlined();
    const auto linkage = function->getASTContext().GetGVALinkageForFunction(function);
    return linkage == clang::GVA_AvailableExternally || linkage == clang::GVA_DiscardableODR ||
           linkage == clang::GVA_StrongODR;
  }

  /// What is destroyed behind main() is read then.
  void see_destruction(const clang::VarDecl* variable, ir::Node node) {
    const clang::QualType type = variable->getType();
    const clang::CXXDestructorDecl* destructor = destructor_of(type);
    if (destructor == nullptr) return;
    if (kind_of(type.getUnqualifiedType()) == Kind::owner && destructor_of(element_of(type)) == nullptr) return;
    symbols_.escape(node);
    if (!is_of_system(destructor)) symbols_.escape(symbols_.function_object(destructor));
  }

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
  const bool cxx_;
};

/// Functions of the program that the headers of C++'s library call in what is instantiated from them, and destructors
/// of what they are given: they are called by code that is not looked at. And whether something is caught.
class LibraryUses : public clang::RecursiveASTVisitor<LibraryUses> {
 public:
  explicit LibraryUses(Symbols& symbols) : symbols_(symbols) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }

  bool TraverseFunctionDecl(clang::FunctionDecl* function) { return within(function, &LibraryUses::function); }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl* function) { return within(function, &LibraryUses::method); }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl* function) {
    return within(function, &LibraryUses::constructor);
  }
  bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl* function) {
    return within(function, &LibraryUses::destructor);
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
    use(e->getDecl());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) {
    use(e->getMemberDecl());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* e) {
    use(e->getConstructor());
    return true;
  }
  bool VisitCXXTryStmt(clang::CXXTryStmt* s) {
    if (!symbols_.source().units[symbols_.unit].ast->getSourceManager().isInSystemHeader(s->getBeginLoc()))
      symbols_.catches = true;
    return true;
  }
  bool VisitClassTemplateSpecializationDecl(clang::ClassTemplateSpecializationDecl* made) {
    if (!is_of_system(made)) return true;
    for (const clang::TemplateArgument& argument : made->getTemplateArgs().asArray()) {
      if (argument.getKind() != clang::TemplateArgument::Type || argument.getAsType()->isDependentType()) continue;
      if (const auto* destructor = destructor_of(argument.getAsType());
          destructor != nullptr && !is_of_system(destructor))
        symbols_.escape(symbols_.function_object(destructor));
    }
    return true;
  }

 private:
  bool function(clang::FunctionDecl* f) { return RecursiveASTVisitor::TraverseFunctionDecl(f); }
  bool method(clang::CXXMethodDecl* f) { return RecursiveASTVisitor::TraverseCXXMethodDecl(f); }
  bool constructor(clang::CXXConstructorDecl* f) { return RecursiveASTVisitor::TraverseCXXConstructorDecl(f); }
  bool destructor(clang::CXXDestructorDecl* f) { return RecursiveASTVisitor::TraverseCXXDestructorDecl(f); }

  template <typename Function>
  bool within(Function* function, bool (LibraryUses::*traverse)(Function*)) {
    if (function->isTemplated()) return true;
    const bool around = std::exchange(in_library_, is_of_system(function) && !is_lowered_function(function));
    const bool on = (this->*traverse)(function);
    in_library_ = around;
    return on;
  }

  void use(const clang::ValueDecl* declaration) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (!in_library_ || function == nullptr || function->isTemplated() || is_of_system(function)) return;
    if (function->getIdentifier() == nullptr || !function->getName().starts_with("ompi_"))  // MPI's for C++
      symbols_.escape(symbols_.function_object(function));
  }

  Symbols& symbols_;
  bool in_library_ = false;
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
  const bool of_mpi =
      models::is_of_mpi(name) || name.starts_with("OMPI_C_MPI_");  // MPI_COMM_DUP_FN in Open MPI's header
  if (function->getBuiltinID() != 0 || of_mpi || std::ranges::find(kFortranIo, name) != std::end(kFortranIo))
    return name != "dlopen";
  if (function->getASTContext().getLangOpts().CPlusPlus && is_of_system(function)) return name != "dlopen";
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
    if (model == nullptr || function.name.find("::") != std::string::npos ||
        contradiction(*model, *source.functions[function.handle].declaration).empty())
      continue;
    function.name = "the program's own " + function.name;
  }
  for (ir::Call& call : program.calls)
    if (call.callee != ir::none && !program.functions[call.callee].defined && call.callee != program.elsewhere)
      call.name = program.functions[call.callee].name;
}

/// Where functions of C++'s library may call others of the program, what they do is not known.
void forget_library(ir::Program& program) {
  for (ir::Call& call : program.calls)
    if (call.callee != ir::none && !program.functions[call.callee].defined &&
        call.name.find("::") != std::string::npos) {
      call.callee = program.elsewhere;
      call.name.clear();
    }
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
    if (!function.defined || function.handle == ir::none) continue;
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
  for (symbols.unit = 0; symbols.unit < source.units.size(); ++symbols.unit)
    if (auto& ast = source.units[symbols.unit].ast->getASTContext(); ast.getLangOpts().CPlusPlus)
      LibraryUses(symbols).TraverseDecl(ast.getTranslationUnitDecl());
  for (symbols.unit = 0; symbols.unit < source.units.size(); ++symbols.unit) {
    const Unit& unit = source.units[symbols.unit];
    const llvm::PrettyStackTraceFormat in_a_crash("cppc looks at %s", unit.command.file.c_str());
    if (!unit.unknown_attribute.empty())
      program.unclear = "the attribute '" + unit.unknown_attribute + "' is not known";
    Definitions(symbols).TraverseDecl(source.units[symbols.unit].ast->getASTContext().getTranslationUnitDecl());
  }
  tell_namesakes_apart(program, source, models);
  if (symbols.library_calls_back) forget_library(program);
  const bool other_parts = has_other_parts(program, source, models);
  if (other_parts) escape_all(symbols);
  symbols.bind_virtual(other_parts);
  const std::vector<ir::Node> numbers = ir::put_objects_first(program);
  for (auto& [declaration, node] : source.nodes) node = numbers[node];
  return program;
}

}  // namespace cppc::frontend
