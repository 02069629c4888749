#include "actions.hpp"

#include <flang/Semantics/expression.h>

namespace cppc::fortran {

void Actions::act_by_kind(const parser::ActionStmt& action, Statements& into) {
  Fortran::common::visit([&](const auto& one) { act(one, into); }, action.u);
}

void Actions::act(const parser::AssignmentStmt& assignment, Statements& into) {
  const auto* typed = semantics::GetAssignment(assignment);
  if (typed == nullptr || !std::holds_alternative<Fortran::evaluate::Assignment::Intrinsic>(typed->u)) {
    if (typed != nullptr)
      if (const auto* call = std::get_if<Fortran::evaluate::ProcedureRef>(&typed->u)) return called(*call, into);
    return touch_and_share(assignment, into);
  }
  Statement made{.kind = StatementKind::assign, .place = here_};
  made.target = context_.symbols.convert(typed->lhs);
  made.value = context_.symbols.convert(typed->rhs);
  const auto type = typed->lhs.GetType();
  made.copies = !type || type->category() == Fortran::common::TypeCategory::Derived;
  into.push_back(std::move(made));
}

void Actions::called(const Fortran::evaluate::ProcedureRef& call, Statements& into) {
  into.push_back({.kind = StatementKind::call, .place = here_, .expressions = {context_.symbols.convert(call)}});
}

void Actions::act(const parser::CallStmt& call, Statements& into) {
  if (call.typedCall)
    called(*call.typedCall, into);
  else
    unclear("it has a call that is not understood");
  const Mentioned found = mentioned(call);
  if (found.labels.empty()) return;
  into.push_back({.kind = StatementKind::jump, .place = here_, .falls_through = true, .labels = found.labels});
}

void Actions::act(const parser::IfStmt& branch, Statements& into) {
  Statement made{.kind = StatementKind::branch, .place = here_};
  made.cases.push_back({convert(std::get<parser::ScalarLogicalExpr>(branch.t)), {}});
  act_by_kind(std::get<parser::UnlabeledStatement<parser::ActionStmt>>(branch.t).statement, made.cases.back().body);
  into.push_back(std::move(made));
}

void Actions::act(const parser::GotoStmt& jump, Statements& into) {
  into.push_back({.kind = StatementKind::jump, .place = here_, .labels = {static_cast<Index>(jump.v)}});
}

void Actions::act(const parser::ComputedGotoStmt& jump, Statements& into) {
  touch(std::get<parser::ScalarIntExpr>(jump.t), here_, into, false);
  Statement made{.kind = StatementKind::jump, .place = here_, .falls_through = true};
  for (const auto label : std::get<std::list<parser::Label>>(jump.t)) made.labels.push_back(static_cast<Index>(label));
  into.push_back(std::move(made));
}

void Actions::act(const parser::ArithmeticIfStmt& jump, Statements& into) {
  touch(std::get<parser::Expr>(jump.t), here_, into, false);
  into.push_back({.kind = StatementKind::jump,
                  .place = here_,
                  .labels = {static_cast<Index>(std::get<1>(jump.t)), static_cast<Index>(std::get<2>(jump.t)),
                             static_cast<Index>(std::get<3>(jump.t))}});
}

void Actions::go(StatementKind kind, const std::optional<parser::Name>& name, Statements& into) {
  for (auto at = open_.rbegin(); at != open_.rend(); ++at)
    if (name ? at->name == name->ToString() : at->loop) {
      into.push_back({.kind = kind, .place = here_, .label = at->number});
      return;
    }
  unclear("it has an EXIT or CYCLE that is not understood");
}

void Actions::act(const parser::ReturnStmt& end, Statements& into) {
  if (end.v) touch(*end.v, here_, into, false);
  into.push_back({.kind = StatementKind::end, .place = here_});
}

void Actions::act(const parser::StopStmt& stop, Statements& into) {
  touch(stop, here_, into, false);
  into.push_back({.kind = StatementKind::stop, .place = here_});
}

void Actions::act(const parser::PrintStmt& print, Statements& into) {
  const auto& [format, items] = print.t;
  touch(format, here_, into, false);
  put_out(items, into);
}

void Actions::act(const parser::WriteStmt& write, Statements& into) {
  put_out(write.items, into);
  if (write.format) touch(*write.format, here_, into, false);
  if (write.iounit) touch(*write.iounit, here_, into);
  for (const parser::IoControlSpec& control : write.controls) touch(control, here_, into);
}

/// The variable of an implied DO changes.
void Actions::put_out(const std::list<parser::OutputItem>& items, Statements& into) {
  for (const parser::OutputItem& item : items) touch(item, here_, into, !std::holds_alternative<parser::Expr>(item.u));
}

/// Bounds that a pointer gets are read.
void Actions::add_bounds(const Fortran::evaluate::Assignment& typed, Statements& into) {
  using Assignment = Fortran::evaluate::Assignment;
  Statement made{.kind = StatementKind::touch, .place = here_};
  const auto add = [&](Fortran::evaluate::ExtentExpr bound) {
    made.expressions.push_back(context_.symbols.convert(Fortran::evaluate::AsGenericExpr(std::move(bound))));
  };
  if (const auto* lower = std::get_if<Assignment::BoundsSpec>(&typed.u))
    for (const auto& bound : *lower) add(bound);
  if (const auto* both = std::get_if<Assignment::BoundsRemapping>(&typed.u))
    for (const auto& [low, high] : *both) add(low), add(high);
  if (!made.expressions.empty()) into.push_back(std::move(made));
}

void Actions::act(const parser::PointerAssignmentStmt& assignment, Statements& into) {
  const auto* typed = semantics::GetAssignment(assignment);
  if (typed == nullptr) return touch_and_share(assignment, into);
  add_bounds(*typed, into);
  Statement made{.kind = StatementKind::touch, .place = here_, .changes = true};
  made.expressions = {context_.symbols.convert(typed->lhs), context_.symbols.convert(typed->rhs)};
  if (!Fortran::evaluate::IsNullPointer(typed->rhs)) associate(made.expressions[0], made.expressions[1]);
  into.push_back(std::move(made));
}

void Actions::associate(const ExprPtr& pointer, const ExprPtr& target) {
  Program& program = context_.symbols.program();
  program.associations.emplace_back(pointer, target);
  for (const ExprPtr& e : {pointer, target})
    if (const Index symbol = root(*e); symbol != none) program.symbols[symbol].shared = true;
}

/// An array that gets memory had none, or the program ends unless it has asked to be told: what was there is dead, as
/// it is before an assignment.
void Actions::begin_anew(const parser::AllocateStmt& allocate, Statements& into) {
  for (const auto& option : std::get<std::list<parser::AllocOpt>>(allocate.t))
    if (std::holds_alternative<parser::StatOrErrmsg>(option.u)) return;
  for (const auto& one : std::get<std::list<parser::Allocation>>(allocate.t)) {
    const auto* name = std::get_if<parser::Name>(&std::get<parser::AllocateObject>(one.t).u);
    if (name == nullptr || name->symbol == nullptr) continue;
    const Index array = context_.symbols.variable(*name->symbol);
    const Symbol& symbol = context_.symbols.program().symbols[array];
    if (symbol.descriptor != Symbol::Descriptor::allocatable || symbol.element == 0) continue;
    Statement made{.kind = StatementKind::assign, .place = here_};
    made.target = std::make_shared<Expr>(Expr{.kind = Expr::Kind::name, .symbol = array});
    made.value = std::make_shared<Expr>(Expr{.kind = Expr::Kind::constant});
    into.push_back(std::move(made));
  }
}

/// Sizes are read only.
void Actions::act(const parser::AllocateStmt& allocate, Statements& into) {
  begin_anew(allocate, into);
  touch(allocate, here_, into, false);
  for (const auto& one : std::get<std::list<parser::Allocation>>(allocate.t))
    touch(std::get<parser::AllocateObject>(one.t), here_, into);
  for (const auto& option : std::get<std::list<parser::AllocOpt>>(allocate.t))
    if (std::holds_alternative<parser::AllocOpt::Source>(option.u))
      share_copied(mentioned(option).expressions);
    else if (!std::holds_alternative<parser::AllocOpt::Mold>(option.u))
      touch(option, here_, into);
}

void Actions::share_copied(const std::vector<ExprPtr>& copied) {
  for (const ExprPtr& e : copied)
    if (const Index symbol = root(*e); symbol != none && context_.symbols.program().symbols[symbol].element == 0)
      context_.symbols.share(*e);
}

void Actions::act(const parser::DeallocateStmt& deallocate, Statements& into) {
  touch(deallocate, here_, into);
  for (const ExprPtr& e : mentioned(deallocate).expressions)
    if (root(*e) != none) context_.symbols.program().freed.insert(root(*e));
}

}  // namespace cppc::fortran
