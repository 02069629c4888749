/// Statements that are no constructs. Only for the files that see flang.
#pragma once

#include <flang/Semantics/tools.h>

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mentioned.hpp"

namespace cppc::fortran {

namespace parser = Fortran::parser;
namespace semantics = Fortran::semantics;

class Actions {
 protected:
  using StatementKind = Statement::Kind;

  /// That is open where a statement is.
  struct Construct {
    Index number;
    std::string name;
    bool loop;
  };

  Actions(Context& context, Index procedure) : context_(context), procedure_(procedure) {}

  void unclear(const std::string& why) { context_.symbols.program().procedures[procedure_].unclear = why; }

  template <typename T>
  ExprPtr convert(const T& e) {
    const auto* typed = semantics::GetExpr(context_.semantics, e);
    if (typed != nullptr) return context_.symbols.convert(*typed);
    return std::make_shared<const Expr>(Expr{.kind = Expr::Kind::other, .parts = mentioned(e).expressions});
  }

  template <typename T>
  Mentioned mentioned(const T& node) {
    Mentioned found{.context = context_, .expressions = {}, .labels = {}};
    parser::Walk(node, found);
    return found;
  }

  /// Of a statement that is not looked into further.
  template <typename T>
  void touch(const T& node, const Place& where, Statements& into, bool changes = true) {
    Mentioned found = mentioned(node);
    Statement made{.kind = StatementKind::touch, .place = where, .expressions = std::move(found.expressions)};
    made.changes = changes;
    into.push_back(std::move(made));
    if (found.labels.empty()) return;
    Statement jump{
        .kind = StatementKind::jump, .place = where, .falls_through = true, .labels = std::move(found.labels)};
    into.push_back(std::move(jump));
  }

  /// There may be assignments of pointers in it.
  template <typename T>
  void touch_and_share(const T& node, Statements& into) {
    touch(node, here_, into);
    for (const ExprPtr& e : mentioned(node).expressions) context_.symbols.share(*e);
  }

  /// There may be pointers in what it copies.
  template <typename T>
  void touch_copying(const T& node, Statements& into) {
    touch(node, here_, into);
    share_copied(mentioned(node).expressions);
  }
  void share_copied(const std::vector<ExprPtr>& copied);

  void act_by_kind(const parser::ActionStmt& action, Statements& into);
  template <typename T>
  void act(const Fortran::common::Indirection<T>& action, Statements& into) {
    act(action.value(), into);
  }
  void act(const parser::ContinueStmt& /*nothing*/, Statements& /*into*/) {}
  void act(const parser::AssignmentStmt& assignment, Statements& into);
  void act(const parser::CallStmt& call, Statements& into);
  void act(const parser::IfStmt& branch, Statements& into);
  void act(const parser::GotoStmt& jump, Statements& into);
  void act(const parser::ComputedGotoStmt& jump, Statements& into);
  void act(const parser::ArithmeticIfStmt& jump, Statements& into);
  void act(const parser::CycleStmt& cycle, Statements& into) { go(StatementKind::cycle, cycle.v, into); }
  void act(const parser::ExitStmt& leave, Statements& into) { go(StatementKind::leave, leave.v, into); }
  void act(const parser::ReturnStmt& end, Statements& into);
  void act(const parser::StopStmt& stop, Statements& into);
  void act(const parser::AssignStmt& /*assign*/, Statements& /*into*/) { unclear("it has an ASSIGN"); }
  void act(const parser::AssignedGotoStmt& /*jump*/, Statements& /*into*/) { unclear("it has an assigned GOTO"); }
  void act(const parser::PrintStmt& print, Statements& into);
  void act(const parser::WriteStmt& write, Statements& into);
  void act(const parser::PointerAssignmentStmt& assignment, Statements& into);
  void act(const parser::ReadStmt& read, Statements& into) { touch(read, here_, into); }
  void act(const parser::AllocateStmt& allocate, Statements& into);
  void act(const parser::DeallocateStmt& deallocate, Statements& into);
  void act(const parser::NullifyStmt& nullify, Statements& into) { touch(nullify, here_, into); }
  void act(const parser::WhereStmt& where, Statements& into) { touch_copying(where, into); }
  template <typename T>
  void act(const T& action, Statements& into) {
    touch_and_share(action, into);
  }

  Context& context_;
  Index procedure_;
  Place here_;
  std::vector<Construct> open_;

 private:
  void called(const Fortran::evaluate::ProcedureRef& call, Statements& into);
  void go(StatementKind kind, const std::optional<parser::Name>& name, Statements& into);
  void put_out(const std::list<parser::OutputItem>& items, Statements& into);
  void add_bounds(const Fortran::evaluate::Assignment& typed, Statements& into);
  void associate(const ExprPtr& pointer, const ExprPtr& target);
  void begin_anew(const Fortran::parser::AllocateStmt& allocate, Statements& into);
};

}  // namespace cppc::fortran
