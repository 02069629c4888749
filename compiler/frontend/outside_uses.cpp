#include "outside_uses.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>

#include "cxx.hpp"
#include "prototypes.hpp"

namespace cppc::frontend {

namespace {

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
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(e->getDecl());
    if (function != nullptr && function->isInStdNamespace() && function->getIdentifier() != nullptr &&
        function->getName() == "async")
      symbols_.catches = true;  // it hands on what its thread throws
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
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* e) {
    if (e->getSubExpr() != nullptr) see_thrown(e->getSubExpr()->getType());
    return true;
  }
  bool VisitCXXCatchStmt(clang::CXXCatchStmt* s) {
    if (s->getExceptionDecl() != nullptr) see_thrown(s->getExceptionDecl()->getType());
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
  /// The library copies exceptions and destroys them.
  void see_thrown(clang::QualType type) {
    type = type.getNonReferenceType();
    const auto* record = type->getAsCXXRecordDecl();
    if (type->isDependentType() || record == nullptr || !has_code(type)) return;
    symbols_.throws_objects = true;
    if (const auto* destructor = destructor_of(type)) symbols_.escape(symbols_.function_object(destructor));
    for (const clang::CXXConstructorDecl* one : record->getDefinition()->ctors())
      if (one->isCopyOrMoveConstructor() && !one->isTrivial() && !one->isDeleted())
        symbols_.escape(symbols_.function_object(one));
  }

  /// Whether the program says how such objects are copied or destroyed.
  static bool has_code(clang::QualType type) {
    while (const auto* array = type->getAsArrayTypeUnsafe()) type = array->getElementType();
    const auto* record = type->getAsCXXRecordDecl();
    if (record == nullptr || !record->hasDefinition()) return false;
    record = record->getDefinition();
    if (is_of_system(record)) return calls_program(type);
    const auto* destructor = destructor_of(type);
    const auto copies = [](const clang::CXXConstructorDecl* one) {
      return one->isCopyOrMoveConstructor() && one->isUserProvided();
    };
    return (destructor != nullptr && destructor->isUserProvided()) || std::ranges::any_of(record->ctors(), copies) ||
           std::ranges::any_of(record->bases(), [](const auto& base) { return has_code(base.getType()); }) ||
           std::ranges::any_of(record->fields(), [](const auto* field) { return has_code(field->getType()); });
  }

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
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration); in_library_ && variable != nullptr)
      return use_variable(variable);
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (!in_library_ || function == nullptr || function->isTemplated() || is_of_system(function)) return;
    if (function->getIdentifier() == nullptr || !function->getName().starts_with("ompi_"))  // MPI's for C++
      symbols_.escape(symbols_.function_object(function));
  }

  /// Headers of the program's own may be given as the system's, by -isystem or a directive.
  void use_variable(const clang::VarDecl* variable) {
    if (variable->hasGlobalStorage() && !variable->isInStdNamespace() && !variable->isTemplated() &&
        !llvm::isa<clang::ParmVarDecl>(variable) && !variable->isConstexpr())
      symbols_.escape(symbols_.variable(variable));
  }

  Symbols& symbols_;
  bool in_library_ = false;
};

/// Whether a function is one of a library that does not know the program: it is declared by the system, or the
/// compiler, or it is libf2c's.
/// To what has a name for the linker: by code that is loaded, or by the name itself.
bool leads_anywhere(const std::string& function) {
  return function == "dlopen" || function == "dlsym" || function == "dlvsym";
}

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
    return !leads_anywhere(name);
  if (function->getASTContext().getLangOpts().CPlusPlus && is_of_system(function)) return !leads_anywhere(name);
  return !leads_anywhere(name) && std::ranges::any_of(function->redecls(), [&](const clang::FunctionDecl* declaration) {
    return manager.isInSystemHeader(declaration->getLocation());
  });
}

}  // namespace

void see_library_uses(Symbols& symbols) {
  for (symbols.unit = 0; symbols.unit < symbols.source().units.size(); ++symbols.unit)
    if (auto& ast = symbols.source().units[symbols.unit].ast->getASTContext(); ast.getLangOpts().CPlusPlus)
      LibraryUses(symbols).TraverseDecl(ast.getTranslationUnitDecl());
}

void separate_namesakes(ir::Program& program, const Source& source, const models::Models& models) {
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

void forget_library(ir::Program& program) {
  for (ir::Call& call : program.calls)
    if (call.callee != ir::none && !program.functions[call.callee].defined &&
        call.name.find("::") != std::string::npos) {
      call.callee = program.elsewhere;
      call.name.clear();
    }
}

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

}  // namespace cppc::frontend
