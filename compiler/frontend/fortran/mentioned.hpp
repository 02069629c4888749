/// For flang's visitor of parse trees. Only for the files that see flang.
#pragma once

#include <flang/Parser/parse-tree-visitor.h>
#include <flang/Semantics/tools.h>

#include "statements.hpp"

namespace cppc::fortran {

/// Everything that a statement mentions: expressions, variables, other names, and labels that it may go to.
struct Mentioned {
  Context& context;
  std::vector<ExprPtr> expressions;
  std::vector<Index> labels;

  template <typename T>
  bool Pre(const T& /*node*/) {
    return true;
  }
  template <typename T>
  void Post(const T& /*node*/) {}
  bool Pre(const Fortran::parser::Expr& e) { return !add(e.typedExpr); }
  bool Pre(const Fortran::parser::Variable& v) { return !add(v.typedExpr); }
  bool Pre(const Fortran::parser::AssignmentStmt& assignment) {  // perhaps a procedure's
    const auto* typed = Fortran::semantics::GetAssignment(assignment);
    const auto* call = typed != nullptr ? std::get_if<Fortran::evaluate::ProcedureRef>(&typed->u) : nullptr;
    if (call != nullptr) expressions.push_back(context.symbols.convert(*call));
    return true;
  }
  bool Pre(const Fortran::parser::AllocateObject& object) { return !add(object.typedExpr); }
  bool Pre(const Fortran::parser::PointerObject& object) { return !add(object.typedExpr); }
  bool Pre(const Fortran::parser::ErrLabel& label) { return go(label.v); }
  bool Pre(const Fortran::parser::EndLabel& label) { return go(label.v); }
  bool Pre(const Fortran::parser::EorLabel& label) { return go(label.v); }
  bool Pre(const Fortran::parser::AltReturnSpec& label) { return go(label.v); }
  void Post(const Fortran::parser::Name& name) {
    if (name.symbol == nullptr) return;
    const Fortran::semantics::Symbol& symbol = name.symbol->GetUltimate();
    if (const auto* list = symbol.detailsIf<Fortran::semantics::NamelistDetails>())
      for (const auto& object : list->objects()) expressions.push_back(context.symbols.reference(*object));
    if (symbol.has<Fortran::semantics::ObjectEntityDetails>() || symbol.has<Fortran::semantics::AssocEntityDetails>())
      expressions.push_back(context.symbols.reference(symbol));
  }

 private:
  template <typename T>
  bool add(const T& typed) {
    if (!typed || !typed->v) return false;
    expressions.push_back(context.symbols.convert(*typed->v));
    return true;
  }
  bool go(Fortran::parser::Label label) {
    labels.push_back(static_cast<Index>(label));
    return false;
  }
};

}  // namespace cppc::fortran
