#include "statements.hpp"

#include <flang/Semantics/expression.h>
#include <flang/Semantics/tools.h>

#include "actions.hpp"

namespace cppc::fortran {

namespace {

class Body : private Actions {
 public:
  Body(Context& context, Index procedure) : Actions(context, procedure) {}

  void block(const parser::Block& block, Statements& into) {
    for (const auto& construct : block) Fortran::common::visit([&](const auto& one) { add(one, into); }, construct.u);
  }

 private:
  void label(const std::optional<parser::Label>& label, Statements& into) {
    if (label) into.push_back({.kind = StatementKind::label, .label = static_cast<Index>(*label)});
  }

  /// Of this statement.
  template <typename T>
  void label_of(const parser::Statement<T>& statement, Statements& into) {
    label(statement.label, into);
    if (!statement.label) return;
    into.back().place = into.back().inside = place(context_, statement.source);
    into.back().labelled = true;
  }

  template <typename T>
  void add(const Fortran::common::Indirection<T>& construct, Statements& into) {
    add(construct.value(), into);
  }
  void add(const parser::ExecutableConstruct& construct, Statements& into) {
    Fortran::common::visit([&](const auto& one) { add(one, into); }, construct.u);
  }
  template <typename T>
  void add(const parser::Statement<T>& statement, Statements& into) {
    label_of(statement, into);
    here_ = place(context_, statement.source);
    if constexpr (std::is_same_v<T, parser::ActionStmt>)
      if (statement.label && std::holds_alternative<parser::ContinueStmt>(statement.statement.u)) {
        into.back().inside = place(context_, parser::CharBlock{statement.source.end() - 1, 1});
        into.back().labelled = false;
      }
    add(statement.statement, into);
  }
  void add(const parser::ActionStmt& action, Statements& into) { act_by_kind(action, into); }
  void add(const parser::FormatStmt& /*format*/, Statements& /*into*/) {}
  void add(const parser::DataStmt& /*data*/, Statements& /*into*/) {}
  void add(const parser::NamelistStmt& /*list*/, Statements& /*into*/) {}
  void add(const parser::ErrorRecovery& /*error*/, Statements& /*into*/) { unclear("it is not understood"); }
  void add(const parser::EntryStmt& /*entry*/, Statements& /*into*/) {
    context_.symbols.program().has_entries = true;
    unclear("it has an ENTRY");
  }
  void add(const parser::CompilerDirective& /*directive*/, Statements& /*into*/) {}

  void add(const parser::DoConstruct& loop, Statements& into) {
    const auto& header = std::get<parser::Statement<parser::NonLabelDoStmt>>(loop.t);
    label_of(header, into);
    Statement made{.kind = StatementKind::loop, .place = place(context_, header.source)};
    made.inside = place(context_, parser::CharBlock{header.source.end() - 1, 1});
    made.construct = constructs_++;
    if (teams_ > 0) made.obstacle = "several threads may pass through it";
    if (const auto& control = loop.GetLoopControl())
      Fortran::common::visit([&](const auto& one) { this->control(one, made); }, control->u);
    const auto& name = std::get<std::optional<parser::Name>>(header.statement.t);
    open_.push_back({made.construct, name ? name->ToString() : "", true});
    block(std::get<parser::Block>(loop.t), made.body);
    label(std::get<parser::Statement<parser::EndDoStmt>>(loop.t).label, made.body);
    open_.pop_back();
    into.push_back(std::move(made));
  }
  void control(const parser::LoopControl::Bounds& bounds, Statement& made) {
    const semantics::Symbol* symbol = bounds.name.thing.symbol;
    const ExprPtr variable = symbol != nullptr ? context_.symbols.reference(*symbol) : nullptr;
    made.low = convert(bounds.lower);
    made.high = convert(bounds.upper);
    if (bounds.step) made.step = convert(*bounds.step);
    if (variable != nullptr && variable->kind == Expr::Kind::name) {
      made.variable = variable->symbol;
    } else {
      unclear("the variable of a loop is not understood");
      made.value = std::make_shared<const Expr>();
    }
  }
  void control(const parser::ScalarLogicalExpr& condition, Statement& made) { made.value = convert(condition); }
  void control(const parser::LoopControl::Concurrent& header, Statement& made) {
    made.value = std::make_shared<const Expr>(Expr{.kind = Expr::Kind::other, .parts = mentioned(header).expressions});
    made.obstacle = "its iterations are in no order";
  }

  void add(const parser::IfConstruct& construct, Statements& into) {
    const auto& first = std::get<parser::Statement<parser::IfThenStmt>>(construct.t);
    label_of(first, into);
    Statement made{.kind = StatementKind::branch, .place = place(context_, first.source)};
    enter(std::get<std::optional<parser::Name>>(first.statement.t), made);
    made.cases.push_back({convert(std::get<parser::ScalarLogicalExpr>(first.statement.t)), {}});
    block(std::get<parser::Block>(construct.t), made.cases.back().body);
    for (const auto& other : std::get<std::list<parser::IfConstruct::ElseIfBlock>>(construct.t)) {
      const auto& statement = std::get<parser::Statement<parser::ElseIfStmt>>(other.t);
      made.cases.push_back({convert(std::get<parser::ScalarLogicalExpr>(statement.statement.t)), {}});
      block(std::get<parser::Block>(other.t), made.cases.back().body);
    }
    if (const auto& otherwise = std::get<std::optional<parser::IfConstruct::ElseBlock>>(construct.t)) {
      made.cases.push_back({nullptr, {}});
      block(std::get<parser::Block>(otherwise->t), made.cases.back().body);
      made.complete = true;
    }
    leave(std::move(made), std::get<parser::Statement<parser::EndIfStmt>>(construct.t).label, into);
  }

  void enter(const std::optional<parser::Name>& name, Statement& made) {
    made.construct = constructs_++;
    open_.push_back({made.construct, name ? name->ToString() : "", false});
  }
  void leave(Statement made, const std::optional<parser::Label>& end, Statements& into) {
    open_.pop_back();
    into.push_back(std::move(made));
    label(end, into);
  }

  void add(const parser::CaseConstruct& construct, Statements& into) {
    const auto& first = std::get<parser::Statement<parser::SelectCaseStmt>>(construct.t);
    label_of(first, into);
    touch(std::get<parser::Scalar<parser::Expr>>(first.statement.t), place(context_, first.source), into, false);
    Statement made{.kind = StatementKind::branch, .place = place(context_, first.source)};
    enter(std::get<std::optional<parser::Name>>(first.statement.t), made);
    for (const auto& one : std::get<std::list<parser::CaseConstruct::Case>>(construct.t)) {
      const auto& selector =
          std::get<parser::CaseSelector>(std::get<parser::Statement<parser::CaseStmt>>(one.t).statement.t);
      made.complete |= std::holds_alternative<parser::Default>(selector.u);
      made.cases.push_back({std::make_shared<const Expr>(), {}});
      block(std::get<parser::Block>(one.t), made.cases.back().body);
    }
    leave(std::move(made), std::get<parser::Statement<parser::EndSelectStmt>>(construct.t).label, into);
  }
  template <typename Construct, typename Case, typename First>
  void select(const Construct& construct, Statements& into) {
    context_.symbols.program().procedures[procedure_].shadows = true;
    const auto& first = std::get<parser::Statement<First>>(construct.t);
    label_of(first, into);
    touch(first.statement, place(context_, first.source), into, false);
    Statement made{.kind = StatementKind::branch, .place = place(context_, first.source)};
    enter(std::get<0>(first.statement.t), made);
    for (const auto& one : std::get<std::list<Case>>(construct.t)) {
      made.cases.push_back({std::make_shared<const Expr>(), {}});
      block(std::get<parser::Block>(one.t), made.cases.back().body);
    }
    leave(std::move(made), std::get<parser::Statement<parser::EndSelectStmt>>(construct.t).label, into);
  }
  void add(const parser::SelectTypeConstruct& construct, Statements& into) {
    select<parser::SelectTypeConstruct, parser::SelectTypeConstruct::TypeCase, parser::SelectTypeStmt>(construct, into);
  }
  void add(const parser::SelectRankConstruct& construct, Statements& into) {
    select<parser::SelectRankConstruct, parser::SelectRankConstruct::RankCase, parser::SelectRankStmt>(construct, into);
  }
  void add(const parser::AssociateConstruct& construct, Statements& into) {
    const auto& first = std::get<parser::Statement<parser::AssociateStmt>>(construct.t);
    label_of(first, into);
    touch(first.statement, place(context_, first.source), into, false);
    inner(std::get<0>(first.statement.t), std::get<parser::Block>(construct.t), place(context_, first.source),
          std::get<parser::Statement<parser::EndAssociateStmt>>(construct.t).label, into);
  }
  void add(const parser::BlockConstruct& construct, Statements& into) {
    const auto& first = std::get<parser::Statement<parser::BlockStmt>>(construct.t);
    label_of(first, into);
    touch(std::get<parser::BlockSpecificationPart>(construct.t), place(context_, first.source), into, false);
    inner(first.statement.v, std::get<parser::Block>(construct.t), place(context_, first.source),
          std::get<parser::Statement<parser::EndBlockStmt>>(construct.t).label, into);
  }
  void inner(const std::optional<parser::Name>& name, const parser::Block& body, const Place& where,
             const std::optional<parser::Label>& end, Statements& into) {
    context_.symbols.program().procedures[procedure_].shadows = true;
    Statement made{.kind = StatementKind::branch, .place = where};
    made.complete = true;
    enter(name, made);
    made.cases.push_back({nullptr, {}});
    block(body, made.cases.back().body);
    leave(std::move(made), end, into);
  }
  void add(const parser::WhereConstruct& construct, Statements& into) { touch_copying(construct, into); }
  void add(const parser::ForallConstruct& construct, Statements& into) { touch_and_share(construct, into); }
  /// Whatever the clauses say: all that is mentioned may be read and changed, in any order.
  void add(const parser::OpenMPConstruct& construct, Statements& into) {
    touch_and_share(construct, into);
    Statement made{.kind = StatementKind::branch, .place = here_, .complete = true, .team = true};
    enter(std::nullopt, made);
    made.cases.push_back({nullptr, {}});
    Inside inside{*this, made.cases.back().body};
    ++teams_;
    parser::Walk(construct, inside);
    --teams_;
    leave(std::move(made), std::nullopt, into);
  }
  void add(const parser::OmpEndLoopDirective& /*end*/, Statements& /*into*/) {}
  /// The statements of a construct.
  struct Inside {
    Body& body;
    Statements& into;
    template <typename T>
    bool Pre(const T& /*node*/) {
      return true;
    }
    template <typename T>
    void Post(const T& /*node*/) {}
    bool Pre(const parser::Block& block) {
      body.block(block, into);
      return false;
    }
    bool Pre(const parser::DoConstruct& loop) {
      body.add(loop, into);
      return false;
    }
    bool Pre(const parser::AssignmentStmt& assignment) {  // of ATOMIC
      body.act(assignment, into);
      return false;
    }
  };

  /// Teams, critical sections, OpenACC: flang is asked for none of them, or they are not followed.
  template <typename T>
  void add(const T& construct, Statements& into) {
    unclear("it has a construct that is not followed");
    touch_and_share(construct, into);
  }

  Index constructs_ = 0;
  int teams_ = 0;  ///< constructs of OpenMP around
};

}  // namespace

Place place(const Context& context, parser::CharBlock text) {
  const auto range = context.cooked.GetProvenanceRange(text);
  if (!range) return {};
  const auto& sources = context.cooked.allSources();
  const auto at = sources.GetSourcePosition(range->start());
  if (!at) return {};
  const bool own =
      sources.GetSourceFile(range->start(), nullptr, true) == sources.GetSourceFile(range->start(), nullptr, false);
  const auto copy = context.lines_in_front.find(at->sourceFile->path());
  const unsigned in_front = copy != context.lines_in_front.end() ? copy->second : 0;
  return {.file = *at->path,
          .line = static_cast<unsigned>(at->line),
          .column = static_cast<unsigned>(at->column),
          .text_line = static_cast<unsigned>(at->trueLineNumber) - in_front,
          .in_source = own};
}

Statements statements_of(Context& context, Index procedure, const parser::Block& block) {
  Statements statements;
  Body(context, procedure).block(block, statements);
  return statements;
}

}  // namespace cppc::fortran
