#include "dead_range.hpp"

#include <clang/AST/PrettyPrinter.h>

namespace cppc::rewrite {

namespace {

using Names = std::map<const clang::VarDecl*, std::string>;

/// Prints expressions with some variables replaced, and notes what it cannot say.
class Printer final : public clang::PrinterHelper {
 public:
  Printer(clang::ASTContext& ast, const std::function<bool(const clang::VarDecl*)>& visible, const Names& names)
      : ast_(ast), visible_(visible), names_(names) {}

  bool handledStmt(clang::Stmt* s, llvm::raw_ostream& out) override {
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(s); member != nullptr) check_record(member);
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(s);
    if (reference == nullptr) return false;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable == nullptr) return false;  // an enumerator is its name or value
    if (const auto given = names_.find(variable->getCanonicalDecl()); given != names_.end()) {
      out << given->second;
      return true;
    }
    const bool ours = &variable->getASTContext() == &ast_;
    possible_ = possible_ && (ours ? visible_(variable) : variable->hasExternalFormalLinkage() && declared(variable));
    return false;
  }

  std::string operator()(const clang::Expr* e) {
    std::string text;
    llvm::raw_string_ostream out(text);
    const clang::Expr* bare = e->IgnoreParenImpCasts();
    bare->printPretty(out, this, ast_.getPrintingPolicy());
    return "(" + text + ")";
  }

  [[nodiscard]] bool possible() const { return possible_; }

 private:
  [[nodiscard]] bool declared(const clang::VarDecl* variable) const {
    const auto found = ast_.getTranslationUnitDecl()->lookup(&ast_.Idents.get(variable->getName()));
    return std::ranges::any_of(found, [](const clang::NamedDecl* d) { return llvm::isa<clang::VarDecl>(d); });
  }

  /// Members can only be named where their structure is defined.
  void check_record(const clang::MemberExpr* member) {
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    if (field == nullptr || &field->getASTContext() == &ast_) return;
    const auto* record = field->getParent();
    const auto found = ast_.getTranslationUnitDecl()->lookup(
        &ast_.Idents.get(record->getIdentifier() != nullptr ? record->getName() : llvm::StringRef("(none)")));
    possible_ = possible_ && std::ranges::any_of(found, [](const clang::NamedDecl* d) {
                  const auto* other = llvm::dyn_cast<clang::RecordDecl>(d);
                  return other != nullptr && other->getDefinition() != nullptr;
                });
  }

  clang::ASTContext& ast_;
  const std::function<bool(const clang::VarDecl*)>& visible_;
  const Names& names_;
  bool possible_ = true;
};

}  // namespace

std::string dead_range(const ir::Program& program, const frontend::Source& source, clang::ASTContext& ast,
                       const analysis::Ahead& ahead, const std::function<bool(const clang::VarDecl*)>& visible) {
  const std::function<bool(const clang::VarDecl*)> only_static = [](const clang::VarDecl* variable) {
    return variable->hasGlobalStorage() && !variable->isStaticLocal();
  };
  Names names;
  bool outermost = true;
  for (const ir::Index index : ahead.calls) {
    const ir::Call& call = program.calls[index];
    const auto* site = source.calls[call.handle].call;
    const auto* callee = source.functions[program.functions[call.callee].handle].declaration;
    Names inner;
    for (unsigned i = 0; i < callee->getNumParams() && i < site->getNumArgs(); ++i) {
      Printer print(ast, outermost ? visible : only_static, names);
      const std::string text = print(site->getArg(i));
      if (print.possible() && call.plain[i]) inner[callee->getParamDecl(i)->getCanonicalDecl()] = text;
    }
    names = std::move(inner);
    outermost = false;
  }
  const auto& overwrite = source.overwrites[program.overwrites[ahead.overwrite].handle];
  Printer print(ast, outermost ? visible : only_static, names);
  std::string loops, counters;
  for (std::size_t l = 0; l + 1 < overwrite.levels.size(); ++l) {
    const frontend::Level& level = overwrite.levels[l];
    const std::string counter = "cppc_" + std::to_string(l);
    counters += (counters.empty() ? "long " : ", ") + counter;
    loops += "for (" + counter + " = " + print(level.low) + "; " + counter +
             (level.inclusive ? " <= (long)" : " < (long)") + print(level.high) + "; ++" + counter + ") ";
    names[level.variable->getCanonicalDecl()] = counter;
  }
  const frontend::Level& last = overwrite.levels.back();
  const std::string low = print(last.low), high = print(last.high);
  names[last.variable->getCanonicalDecl()] = low;
  const std::string element = print(overwrite.element);
  if (!print.possible()) return {};
  const std::string more = last.inclusive ? " >= " : " > ";
  const std::string code = loops + "if ((long)" + high + more + "(long)" + low + ") cppc_dead_range(&" + element +
                           ", (size_t)((long)" + high + " - (long)" + low + (last.inclusive ? " + 1" : "") +
                           ") * sizeof" + element + "); ";
  return counters.empty() ? code : "{ " + counters + "; " + code + "} ";
}

}  // namespace cppc::rewrite
