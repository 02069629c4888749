#include "procedures.hpp"

#include <flang/Semantics/expression.h>
#include <flang/Semantics/tools.h>

#include "statements.hpp"

namespace cppc::fortran {

namespace parser = Fortran::parser;
namespace semantics = Fortran::semantics;

namespace {

class Procedures {
 public:
  explicit Procedures(Context& context) : context_(context) {}

  void add(const parser::MainProgram& main) {
    const auto& statement = std::get<std::optional<parser::Statement<parser::ProgramStmt>>>(main.t);
    const semantics::Symbol* symbol = statement ? statement->statement.v.symbol : nullptr;
    const semantics::Scope* scope = symbol != nullptr ? symbol->scope() : nameless_main();
    if (scope == nullptr) return unclear("the main program is not understood");
    const auto index = static_cast<Index>(program().procedures.size());
    program().procedures.push_back({.name = "MAIN__", .linker_name = "MAIN__", .is_main = true});
    define(index, *scope, std::get<parser::ExecutionPart>(main.t),
           std::get<std::optional<parser::InternalSubprogramPart>>(main.t), none);
  }
  void add(const parser::FunctionSubprogram& function) {
    const auto& statement = std::get<parser::Statement<parser::FunctionStmt>>(function.t);
    subprogram(std::get<parser::Name>(statement.statement.t), function, none);
  }
  void add(const parser::SubroutineSubprogram& subroutine) {
    const auto& statement = std::get<parser::Statement<parser::SubroutineStmt>>(subroutine.t);
    subprogram(std::get<parser::Name>(statement.statement.t), subroutine, none);
  }
  void add(const parser::Module& module) {
    const auto& part = std::get<std::optional<parser::ModuleSubprogramPart>>(module.t);
    if (!part) return;
    for (const auto& one : std::get<std::list<parser::ModuleSubprogram>>(part->t))
      Fortran::common::visit([this](const auto& procedure) { add(procedure.value()); }, one.u);
  }
  void add(const parser::SeparateModuleSubprogram& /*procedure*/) { note_submodule(); }
  void add(const parser::Submodule& /*submodule*/) { note_submodule(); }
  void add(const parser::BlockData& /*data*/) {}
  void add(const parser::CompilerDirective& /*directive*/) {}
  void add(const parser::OpenACCRoutineConstruct& /*construct*/) {}

 private:
  Program& program() { return context_.symbols.program(); }
  void unclear(const std::string& why) { program().unclear = why; }
  /// What it has is code that is not known, with the names of its object.
  void note_submodule() { program().with_submodules.insert(context_.file); }

  const semantics::Scope* nameless_main() {
    for (const semantics::Scope& scope : context_.semantics.globalScope().children())
      if (scope.kind() == semantics::Scope::Kind::MainProgram) return &scope;
    return nullptr;
  }

  template <typename T>
  void subprogram(const parser::Name& name, const T& tree, Index host) {
    const semantics::Scope* scope = name.symbol != nullptr ? name.symbol->scope() : nullptr;
    const Index index = scope != nullptr ? context_.symbols.procedure(*name.symbol) : none;
    if (index == none) return unclear("procedure " + name.ToString() + " is not understood");
    if (program().procedures[index].defined) return unclear("there are several procedures " + name.ToString());
    define(index, *scope, std::get<parser::ExecutionPart>(tree.t),
           std::get<std::optional<parser::InternalSubprogramPart>>(tree.t), host, name.symbol);
  }

  void define(Index index, const semantics::Scope& scope, const parser::ExecutionPart& body,
              const std::optional<parser::InternalSubprogramPart>& contained, Index host,
              const semantics::Symbol* symbol = nullptr) {
    std::vector<Index> dummies;
    if (symbol != nullptr) find_dummies(*symbol, index, dummies);
    std::vector<ExprPtr> sizes = declare(scope, index);
    Statements statements = statements_of(context_, index, body.v);
    Procedure& procedure = program().procedures[index];
    procedure.host = host;
    procedure.file = context_.file;
    procedure.dummies = std::move(dummies);
    procedure.sizes = std::move(sizes);
    procedure.body = std::move(statements);
    procedure.defined = true;
    if (const auto& source = scope.sourceRange(); !source.empty()) procedure.place = place(context_, source);
    if (!contained) return;
    for (const auto& one : std::get<std::list<parser::InternalSubprogram>>(contained->t)) {
      if (const auto* function = std::get_if<Fortran::common::Indirection<parser::FunctionSubprogram>>(&one.u))
        subprogram(std::get<parser::Name>(std::get<0>(function->value().t).statement.t), function->value(), index);
      if (const auto* routine = std::get_if<Fortran::common::Indirection<parser::SubroutineSubprogram>>(&one.u))
        subprogram(std::get<parser::Name>(std::get<0>(routine->value().t).statement.t), routine->value(), index);
    }
  }

  void find_dummies(const semantics::Symbol& symbol, Index index, std::vector<Index>& dummies) {
    const auto* details = symbol.detailsIf<semantics::SubprogramDetails>();
    if (details == nullptr) return;
    for (const semantics::Symbol* dummy : details->dummyArgs())
      dummies.push_back(dummy != nullptr ? context_.symbols.variable(*dummy) : none);
    if (symbol.attrs().test(semantics::Attr::PURE) || symbol.attrs().test(semantics::Attr::ELEMENTAL))
      program().procedures[index].pure = true;
  }

  void set_owner(Index variable, Index procedure) {
    program().symbols[variable].procedure = procedure;
    for (const Index other : besides(program(), variable)) program().symbols[other].procedure = procedure;
  }

  /// The procedure's own variables; what their sizes depend on.
  std::vector<ExprPtr> declare(const semantics::Scope& scope, Index index) {
    std::vector<ExprPtr> sizes;
    for (const auto& [name, symbol] : scope) {
      if (!symbol->has<semantics::HostAssocDetails>()) program().procedures[index].names.insert(name.ToString());
      if (!symbol->has<semantics::ObjectEntityDetails>()) continue;
      const Index variable = context_.symbols.variable(*symbol);
      const Symbol& own = program().symbols[variable];
      if (own.storage != Symbol::Storage::common) set_owner(variable, index);
      const auto* type = symbol->GetType();
      if (type != nullptr && type->category() == semantics::DeclTypeSpec::Character)
        if (const auto& length = type->characterTypeSpec().length().GetExplicit()) {
          ExprPtr read = context_.symbols.convert(
              Fortran::evaluate::AsGenericExpr(Fortran::evaluate::Expr<Fortran::evaluate::SomeInteger>(*length)));
          if (read->kind != Expr::Kind::constant) sizes.push_back(std::move(read));
        }
      for (const Bounds& bounds : program().symbols[variable].bounds)
        for (const ExprPtr& bound : {bounds.lower, bounds.upper})
          if (bound != nullptr && bound->kind != Expr::Kind::constant && bound->kind != Expr::Kind::bound)
            sizes.push_back(bound);
    }
    return sizes;
  }

  Context& context_;
};

}  // namespace

void add_procedures(Context& context, const parser::Program& tree) {
  Procedures procedures(context);
  for (const auto& unit : tree.v) Fortran::common::visit([&](const auto& one) { procedures.add(one.value()); }, unit.u);
}

}  // namespace cppc::fortran
