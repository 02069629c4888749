#include "flow_graph.hpp"

#include <algorithm>

#include "flow_builder.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

void Flow::Builder::run() {
  const Procedure& procedure = program_.procedures[procedure_];
  graph_.blocks.resize(2);
  for (const ExprPtr& size : procedure.sizes)
    if (!find_variables(program_, *size, graph_.sizes)) emit({Step::Kind::everything});
  if (!procedure.unclear.empty()) emit({Step::Kind::everything});
  for (const ExprPtr& size : procedure.sizes) read(*size);
  statements(procedure.body);
  go(Graph::exit);
  for (const auto& [label, block] : labels_)
    if (!placed_.contains(label)) {  // where it goes to is not known
      graph_.blocks[block].steps.push_back({Step::Kind::everything});
      graph_.blocks[block].successors.push_back(Graph::exit);
    }
  graph_.link_endless();
  graph_.find_predecessors();
}

std::size_t Flow::Builder::block() {
  graph_.blocks.emplace_back();
  return graph_.blocks.size() - 1;
}

void Flow::Builder::go(std::size_t to) {
  link(to);
  block_ = block();
}

void Flow::Builder::emit(Step step) {
  const bool changes = step.kind == Step::Kind::change || step.kind == Step::Kind::assign;
  const bool resizes = changes && graph_.sizes.contains(step.symbol);
  graph_.blocks[block_].steps.push_back(std::move(step));
  if (resizes) graph_.blocks[block_].steps.push_back({Step::Kind::everything});
}

void Flow::Builder::change_variable(Index symbol, bool whole) {
  emit({Step::Kind::change, symbol});
  change_with(symbol, whole);
}

void Flow::Builder::change_with(Index symbol, bool whole) {
  if (const Index of = program_.symbols[symbol].part_of; of != none) emit({Step::Kind::change, of});
  if (whole)
    for (const Index other : besides(program_, symbol)) emit({Step::Kind::change, other});
}

/// As what it is part of changes or is read.
void Flow::Builder::read_parts(const Expr& e) {
  if (e.kind != Kind::name) return;
  for (const Index part : program_.symbols[e.symbol].parts) emit({Step::Kind::read, part});
}

void Flow::Builder::read_subscripts(const Expr& e) {
  if (e.kind == Kind::other) return read(e);  // a substring or part of a number, or no variable at all
  if (e.kind != Kind::element && e.kind != Kind::member) return;
  if (e.parts.front() != nullptr) read_subscripts(*e.parts.front());
  for (std::size_t i = 1; i < e.parts.size(); ++i)
    if (e.parts[i] != nullptr) read(*e.parts[i]);
}

void Flow::Builder::read(const Expr& e) {
  if (e.kind == Kind::call) return call(e, false);
  if (const Index symbol = root(e); symbol != none) {
    read_subscripts(e);
    const bool plain = e.kind == Kind::element && e.parts.front()->kind == Kind::name;
    if (!skipped_.contains(symbol)) emit({.kind = Step::Kind::read, .symbol = symbol, .element = plain ? &e : nullptr});
    return read_parts(e);
  }
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) read(*part);
}

void Flow::Builder::change(const Expr& e) {
  if (const Index symbol = root(e); symbol != none) return change_variable(symbol, e.kind == Kind::name);
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) change(*part);
}

void Flow::Builder::statements(const Statements& list) {
  known_.clear();
  for (const Statement& s : list) {
    statement(s);
    if (s.kind != Statement::Kind::assign || s.target->kind != Kind::name || s.value->kind != Kind::constant)
      known_.clear();
    else if (program_.symbols[s.target->symbol].integer && program_.symbols[s.target->symbol].unclear.empty())
      known_[s.target->symbol] = s.value;
  }
}

void Flow::Builder::statement(const Statement& s) {
  using StatementKind = Statement::Kind;
  switch (s.kind) {
    case StatementKind::assign:
      return assign(s);
    case StatementKind::call:
      return call(*s.expressions.front(), true);
    case StatementKind::touch:
      for (const ExprPtr& e : s.expressions) {
        read(*e);
        if (s.changes) change(*e);
      }
      return;
    case StatementKind::branch:
      return branch(s);
    case StatementKind::loop:
      return loop(s);
    case StatementKind::leave:
    case StatementKind::cycle:
      for (const Open& open : open_)
        if (open.construct == s.label) return go(s.kind == StatementKind::leave ? open.on_leave : open.on_cycle);
      return;
    case StatementKind::jump: {
      for (const Index label : s.labels) link(block_of(label));
      const std::size_t next = block();
      if (s.falls_through) link(next);
      block_ = next;
      return;
    }
    case StatementKind::end:
      return go(Graph::exit);
    case StatementKind::stop:
      emit({Step::Kind::stop});
      block_ = block();  // nobody reads anything after it
      return;
    case StatementKind::label: {
      const std::size_t here = block_of(s.label);
      placed_.insert(s.label);
      link(here);
      block_ = here;
      return;
    }
  }
}

/// A function whose value is all that a scalar variable gets is called in any case.
bool Flow::Builder::is_called_for(const Expr& value, const Expr& target) const {
  if (value.kind != Expr::Kind::call || value.procedure == none || !program_.procedures[value.procedure].defined)
    return false;
  return target.kind == Expr::Kind::name && !program_.symbols[target.symbol].array;
}

void Flow::Builder::assign(const Statement& s) {
  if (s.target->kind == Expr::Kind::call) {  // what it gives is assigned to
    read(*s.value);
    read(*s.target);
    return emit({Step::Kind::everything});
  }
  if (is_called_for(*s.value, *s.target))
    known(*s.value);
  else
    read(*s.value);
  read_subscripts(*s.target);
  const Index symbol = root(*s.target);
  if (symbol == none) return change(*s.target);
  const bool whole = s.target->kind == Kind::name;
  if (whole && !program_.symbols[symbol].array) {
    emit({.kind = Step::Kind::assign, .symbol = symbol, .value = s.value});
    change_with(symbol, true);
    return;
  }
  change_variable(symbol, false);
  if (!skipped_.contains(symbol))
    if (auto region = region_of(program_, flow_.effects_, s)) overwrite(std::move(*region));
  if (whole && program_.symbols[symbol].descriptor == Symbol::Descriptor::allocatable)  // perhaps another block now
    emit({Step::Kind::change, program_.symbols[symbol].shape});
}

void Flow::Builder::overwrite(Region region) {
  graph_.regions.push_back(std::move(region));
  emit({.kind = Step::Kind::overwrite, .region = &graph_.regions.back()});
}

std::size_t Flow::Builder::block_of(Index label) {
  if (const auto found = labels_.find(label); found != labels_.end()) return found->second;
  return labels_[label] = block();
}

void Flow::Builder::branch(const Statement& s) {
  const std::size_t after = block();
  open_.push_back({s.construct, after, after});
  if (s.team) emit({Step::Kind::everything});
  bool all = false;
  for (const Case& one : s.cases) {
    all = one.condition == nullptr;
    if (all) {
      statements(one.body);
      link(after);
      break;
    }
    read(*one.condition);
    const std::size_t then = block(), otherwise = block();
    std::set<Index> variables;
    if (find_variables(program_, *one.condition, variables)) graph_.blocks[block_].condition = one.condition;
    link(then);
    link(otherwise);
    block_ = then;
    statements(one.body);
    link(after);
    block_ = otherwise;
  }
  if (!all && !s.complete) link(after);
  open_.pop_back();
  block_ = after;
}

/// Whether there is a first pass.
bool Flow::Builder::comes_in(const Statement& s) {
  const auto is_known = [](const ExprPtr& e) { return e != nullptr && e->kind == Kind::constant; };
  if (s.variable == none || !is_known(s.low) || !is_known(s.high)) return false;
  return s.step == nullptr ? s.low->value <= s.high->value : s.low->value == s.high->value && is_known(s.step);
}

bool Flow::Builder::calls(const Statements& list) {
  return std::ranges::any_of(list, [](const Statement& s) {
    return s.kind == Statement::Kind::call || calls(s.body) ||
           std::ranges::any_of(s.cases, [](const Case& one) { return calls(one.body); });
  });
}

/// Whether it goes through all of its passes, and has calls in them: others are nests (regions.hpp).
bool Flow::Builder::is_sweep(const Statement& s) const {
  const bool by_one = s.step == nullptr || is(s.step, 1) || is(s.step, -1);
  std::set<Index> variables;
  return s.variable != none && program_.symbols[s.variable].integer && by_one && !jumps(s.body) && calls(s.body) &&
         find_variables(program_, *s.low, variables) && find_variables(program_, *s.high, variables);
}

void Flow::Builder::loop(const Statement& s) {
  for (const ExprPtr& e : {s.low, s.high, s.step})
    if (e != nullptr) read(*e);
  std::vector<Region> regions;
  for (Region& region : regions_of(program_, flow_.effects_, s, known_))
    if (!skipped_.contains(region.symbol)) regions.push_back(std::move(region));
  for (const Region& region : regions) skipped_.insert(region.symbol);
  const std::size_t test = block(), inside = block(), after = block();
  const bool sweeps = is_sweep(s);
  if (sweeps) {
    link(block());
    block_ = graph_.blocks.size() - 1;
  }
  const std::size_t entry = block_, first = graph_.blocks.size();
  if (comes_in(s)) {
    change_variable(s.variable, false);
    link(inside);
  } else {
    link(test);
  }
  block_ = test;
  if (s.variable != none) change_variable(s.variable, false);
  if (s.value != nullptr) read(*s.value);
  link(inside);
  if (s.variable != none || s.value != nullptr) link(after);
  block_ = inside;
  emit({.kind = Step::Kind::marker, .loop = &s});
  const std::size_t next = block();
  open_.push_back({s.construct, after, next});
  statements(s.body);
  open_.pop_back();
  link(next);
  block_ = next;
  link(test);
  if (sweeps) {
    graph_.sweeps.push_back({&s, entry, inside, first, graph_.blocks.size()});
    graph_.blocks[entry].sweep = &graph_.sweeps.back();
  }
  block_ = after;
  for (Region& region : regions) {
    skipped_.erase(region.symbol);
    overwrite(std::move(region));
  }
}

void Flow::Graph::link_endless() {
  std::vector<bool> ends(blocks.size());
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto& next = blocks[b].successors;
      if (ends[b] || (!next.empty() && std::ranges::none_of(next, [&](std::size_t one) { return ends[one]; })))
        continue;
      grew = ends[b] = true;
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (!ends[b]) blocks[b].successors.push_back(exit);
}

void Flow::Graph::find_predecessors() {
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const std::size_t next : blocks[b].successors)
      if (auto& before = blocks[next].predecessors; before.empty() || before.back() != b) before.push_back(b);
  for (const Sweep& sweep : sweeps) blocks[sweep.inside].predecessors.push_back(sweep.entry);  // by Flow::sweep()
}

void Flow::make_graph(Index procedure) { Builder(*this, procedure).run(); }

}  // namespace cppc::fortran
