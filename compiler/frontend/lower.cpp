#include <clang/AST/Attr.h>
#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <llvm/Support/PrettyStackTrace.h>

#include <algorithm>

#include "attributes.hpp"
#include "cxx.hpp"
#include "ir/renumber.hpp"
#include "lowering.hpp"
#include "outside_uses.hpp"

namespace cppc::frontend {

bool is_one_of_several(const Source& source, ir::Index unit, const clang::FunctionDecl* function) {
  const auto found = source.instantiations.find({unit, function->getLocation().getRawEncoding()});
  return found != source.instantiations.end() && found->second.size() > 1;
}

namespace {

/// Whether it names variables or functions that are not the library's.
bool has_part_of_program(const clang::Stmt* s) {
  const auto is_own = [](const clang::Decl* d) { return d != nullptr && !is_of_system(d); };
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s); name != nullptr && is_own(name->getDecl())) return true;
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(s); made != nullptr && is_own(made->getConstructor()))
    return true;
  return std::any_of(s->child_begin(), s->child_end(),
                     [](const clang::Stmt* child) { return child != nullptr && has_part_of_program(child); });
}

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
    if (llvm::isa<clang::CoroutineBodyStmt>(function->getBody()))
      symbols_.program().unclear = "it has coroutines, which go on when others resume them";
    if (cxx_)
      symbols_.source().instantiations[{symbols_.unit, function->getLocation().getRawEncoding()}].insert(
          function->getCanonicalDecl());
    if (is_left_out_by_compilers(function)) return true;
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
    if (variable->getTLSKind() == clang::VarDecl::TLS_Dynamic && !variable->isStaticLocal() && init != nullptr &&
        has_part_of_program(init))
      unclear(variable, "is initialised when a thread uses it first");
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

  bool VisitOMPDeclareReductionDecl(clang::OMPDeclareReductionDecl* declaration) {
    unclear(declaration, "is an operation for OpenMP, which is not followed");
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
  /// Headers of processors' instructions define thousands of functions for each file that includes them.
  static bool is_left_out_by_compilers(const clang::FunctionDecl* function) {
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
    return !function->isReferenced() && !function->isUsed() && (method == nullptr || !method->isVirtual()) &&
           !function->getASTContext().DeclMustBeEmitted(function);
  }

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

}  // namespace

ir::Program lower(Source& source, const models::Models& models, bool by_address) {
  ir::Program program{.by_address = by_address, .unclear = {}};
  program.unknown = program.add({.storage = ir::Storage::unknown, .address_taken = true}, "(outside)", {});
  program.elsewhere = static_cast<ir::Index>(program.functions.size());
  program.functions.push_back({.name = "(a function outside)"});
  program.text = program.add({.storage = ir::Storage::text, .address_taken = true}, "(text)", {});
  program.nowhere = program.add({.storage = ir::Storage::text, .address_taken = true}, "(nowhere)", {});
  Symbols symbols(source, program, models);
  see_library_uses(symbols);
  for (symbols.unit = 0; symbols.unit < source.units.size(); ++symbols.unit) {
    const Unit& unit = source.units[symbols.unit];
    const llvm::PrettyStackTraceFormat in_a_crash("cppc looks at %s", unit.command.file.c_str());
    if (!unit.unknown_attribute.empty())
      program.unclear = "the attribute '" + unit.unknown_attribute + "' is not known";
    Definitions(symbols).TraverseDecl(source.units[symbols.unit].ast->getASTContext().getTranslationUnitDecl());
  }
  separate_namesakes(program, source, models);
  if (symbols.library_calls_back) forget_library(program);
  const bool other_parts = has_other_parts(program, source, models);
  if (other_parts) escape_all(symbols);
  symbols.bind_virtual(other_parts);
  const std::vector<ir::Node> numbers = ir::put_objects_first(program);
  for (auto& [declaration, node] : source.nodes) node = numbers[node];
  return program;
}

}  // namespace cppc::frontend
