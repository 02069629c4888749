#include "slices.hpp"

#include <algorithm>

#include "algebra.hpp"
#include "fills.hpp"
#include "lower.hpp"
#include "models/models.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

namespace {

bool same(const Program& program, const ExprPtr& one, const ExprPtr& other) {
  if (one == nullptr || other == nullptr) return false;
  const std::string words = text(program, *one);
  return !words.empty() && words == text(program, *other);
}

void add(const Program& program, Slices& slices, Index symbol, const Slice& slice) {
  const auto [found, fresh] = slices.try_emplace(symbol, slice);
  if (fresh) return;
  std::vector<ExprPtr>& own = found->second.subscripts;
  const bool comparable = found->second.view == slice.view && own.size() == slice.subscripts.size();
  for (std::size_t d = 0; d < own.size(); ++d)
    if (!comparable || !same(program, own[d], slice.subscripts[d])) own[d] = nullptr;
}

}  // namespace

class SliceFinder::Walk {
 public:
  explicit Walk(SliceFinder& finder) : finder_(finder), program_(finder.program_) {}

  Slices slices;
  bool unknown = false;

  void statements(const Statements& list) {
    for (const Statement& s : list) statement(s);
  }
  void statement(const Statement& s) {
    unknown = unknown || s.team;
    for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step}) see(e);
    for (const ExprPtr& e : s.expressions) see(e);
    for (const Case& one : s.cases) {
      see(one.condition);
      statements(one.body);
    }
    statements(s.body);
  }

  void see(const ExprPtr& e) {
    if (e == nullptr) return;
    if (e->kind == Kind::call) return call(*e);
    if (root(*e) != none) {
      access(*e);
      return see_subscripts(*e);
    }
    for (const ExprPtr& part : e->parts) see(part);
  }

 private:
  void see_subscripts(const Expr& e) {
    if (e.kind == Kind::name) return;
    see_subscripts(*e.parts.front());
    for (std::size_t i = 1; i < e.parts.size(); ++i) see(e.parts[i]);
  }
  void access(const Expr& e) {
    const Index symbol = root(e);
    if (!program_.symbols[symbol].array) return;
    Slice slice;
    if (e.kind == Kind::element && e.parts.front()->kind == Kind::name) {
      slice = {view(*e.parts.front()), {e.parts.begin() + 1, e.parts.end()}};
      for (ExprPtr& part : slice.subscripts)
        if (part != nullptr && part->kind == Kind::range) part = nullptr;
    }
    add(program_, slices, symbol, slice);
  }

  void call(const Expr& e) {
    const bool known = e.procedure != none && program_.procedures[e.procedure].defined;
    if (known) return known_call(e);
    if (e.procedure != none || e.word.empty()) {
      const std::string name = e.procedure != none ? program_.procedures[e.procedure].linker_name : std::string();
      unknown = unknown || !(models::is_of_mpi(name) || is_of_runtime(name));
    }
    for (const ExprPtr& part : e.parts) argument(part);
  }
  /// What gets it may access what lies behind it.
  void argument(const ExprPtr& e) {
    if (e == nullptr) return;
    const Index symbol = root(*e);
    if (symbol == none) return see(e);
    if (program_.symbols[symbol].array) add(program_, slices, symbol, {});
    see_subscripts(*e);
  }

  void known_call(const Expr& e) {
    const std::optional<Slices>& callee = finder_.of_procedure(e.procedure);
    if (!callee) {
      unknown = true;
      return;
    }
    const auto& dummies = program_.procedures[e.procedure].dummies;
    Values given;
    for (std::size_t i = 0; i < e.parts.size(); ++i) {
      const Index dummy = i < dummies.size() ? dummies[i] : none;
      if (e.parts[i] != nullptr && dummy != none) given[dummy] = e.parts[i];
      const ExprPtr section = e.parts[i] != nullptr ? section_of(program_, *e.parts[i], dummy) : nullptr;
      if (section != nullptr)
        see(section);
      else
        argument(e.parts[i]);
    }
    for (const auto& [symbol, slice] : *callee) {
      if (std::ranges::find(dummies, symbol) != dummies.end()) continue;
      Slice here = slice;
      for (ExprPtr& part : here.subscripts)
        if (part != nullptr && part->kind == Kind::name)
          part = given.contains(part->symbol) ? given[part->symbol] : nullptr;
      add(program_, slices, symbol, here);
    }
  }

  SliceFinder& finder_;
  const Program& program_;
};

std::optional<Slices> SliceFinder::of(const Statement& statement) {
  Walk walk(*this);
  walk.statement(statement);
  return walk.unknown ? std::nullopt : std::optional(std::move(walk.slices));
}

std::optional<Slices> SliceFinder::of(const Statements& statements) {
  Walk walk(*this);
  walk.statements(statements);
  return walk.unknown ? std::nullopt : std::optional(std::move(walk.slices));
}

const std::optional<Slices>& SliceFinder::of_procedure(Index p) {
  if (const auto found = known_.find(p); found != known_.end()) return found->second;
  known_[p] = std::nullopt;  // of one that calls itself nothing is known
  const Procedure& procedure = program_.procedures[p];
  Walk walk(*this);
  for (const ExprPtr& size : procedure.sizes) walk.see(size);
  walk.statements(procedure.body);
  std::optional<Slices> slices = walk.unknown ? std::nullopt : std::optional(std::move(walk.slices));
  if (!slices || !procedure.unclear.empty()) return known_[p];
  const auto is_steady = [&](const ExprPtr& e) {
    if (e == nullptr || e->kind == Kind::constant) return e != nullptr;
    return e->kind == Kind::name && std::ranges::find(procedure.dummies, e->symbol) != procedure.dummies.end() &&
           !changes_(p, e->symbol);
  };
  for (auto& [symbol, slice] : *slices)
    for (ExprPtr& part : slice.subscripts)
      if (!is_steady(part)) part = nullptr;
  return known_[p] = std::move(slices);
}

}  // namespace cppc::fortran
