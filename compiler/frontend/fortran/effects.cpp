#include "effects.hpp"

#include <algorithm>

namespace cppc::fortran {

namespace {

/// MPI's functions that only tell the time.
bool is_clock(const Procedure& procedure) {
  return procedure.linker_name == "mpi_wtime_" || procedure.linker_name == "mpi_wtick_";
}

/// One procedure's, without what it calls.
class Collector {
 public:
  Collector(const Program& program, Index procedure, Effect& effect, std::vector<const Expr*>& calls)
      : program_(program), procedure_(procedure), effect_(effect), calls_(calls) {}

  void run() {
    const Procedure& procedure = program_.procedures[procedure_];
    if (!procedure.unclear.empty()) effect_.unknown = true;
    for (const ExprPtr& size : procedure.sizes) read(size);
    statements(procedure.body);
  }

 private:
  bool outlives(Index symbol) const {
    const Symbol& s = program_.symbols[symbol];
    return s.procedure != procedure_ || s.storage != Symbol::Storage::local;
  }
  void use(Index symbol) {
    if (outlives(symbol)) effect_.uses.insert(symbol);
  }
  void change(const ExprPtr& e) {
    if (e == nullptr) return;
    if (const Index symbol = root(*e); symbol != none) {
      if (!outlives(symbol)) return;
      effect_.changes.insert(symbol);
      if (e->kind != Expr::Kind::name) return;
      for (const Index other : besides(program_, symbol)) effect_.changes.insert(other);
      return;
    }
    for (const ExprPtr& part : e->parts) change(part);
  }
  void read(const ExprPtr& e) {
    if (e == nullptr) return;
    if (e->kind == Expr::Kind::name) {
      use(e->symbol);
      for (const Index part : program_.symbols[e->symbol].parts) use(part);
    }
    if (e->kind == Expr::Kind::call && e->word.empty()) {
      const Procedure* callee = e->procedure != none ? &program_.procedures[e->procedure] : nullptr;
      const bool known = callee != nullptr && callee->defined;
      effect_.unknown = effect_.unknown || !(known || (callee != nullptr && is_clock(*callee)));
      if (known) calls_.push_back(e.get());
    }
    for (const ExprPtr& part : e->parts) read(part);
  }
  void statements(const Statements& list) {
    for (const Statement& s : list) statement(s);
  }
  void statement(const Statement& s) {
    effect_.unknown = effect_.unknown || s.team;
    for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step}) read(e);
    change(s.target);
    if (s.variable != none) {
      use(s.variable);
      if (outlives(s.variable)) effect_.changes.insert(s.variable);
    }
    for (const ExprPtr& e : s.expressions) {
      read(e);
      const bool of_library = s.kind == Statement::Kind::call && !e->word.empty();
      if (s.changes || of_library) change(e);
    }
    for (const Case& one : s.cases) {
      read(one.condition);
      statements(one.body);
    }
    statements(s.body);
  }

  const Program& program_;
  const Index procedure_;
  Effect& effect_;
  std::vector<const Expr*>& calls_;
};

}  // namespace

const Effect* effect_of(const Effects& effects, const Expr& call) {
  if (call.procedure == none || call.procedure >= effects.size()) return nullptr;
  const Effect& effect = effects[call.procedure];
  return effect.unknown ? nullptr : &effect;
}

std::set<Index> changed_by(const Program& program, const Effect& effect, const Expr& call) {
  const auto& dummies = program.procedures[call.procedure].dummies;
  std::set<Index> changed;
  for (const Index symbol : effect.changes) {
    const auto dummy = std::ranges::find(dummies, symbol);
    const auto i = static_cast<std::size_t>(dummy - dummies.begin());
    if (dummy == dummies.end()) {
      changed.insert(symbol);
      continue;
    }
    const ExprPtr argument = i < call.parts.size() ? call.parts[i] : nullptr;
    if (argument == nullptr || root(*argument) == none) continue;
    changed.insert(root(*argument));
    if (argument->kind == Expr::Kind::name)
      for (const Index other : besides(program, argument->symbol)) changed.insert(other);
  }
  return changed;
}

Effects effects_of(const Program& program) {
  const auto count = static_cast<Index>(program.procedures.size());
  Effects effects(count);
  std::vector<std::vector<const Expr*>> calls(count);
  for (Index p = 0; p < count; ++p) {
    const bool defined = program.procedures[p].defined;
    effects[p].unknown = !defined && !is_clock(program.procedures[p]);
    if (defined) Collector(program, p, effects[p], calls[p]).run();
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (Index p = 0; p < count; ++p)
      for (const Expr* call : calls[p]) {
        const Effect before = effects[p], callee = effects[call->procedure];
        const auto& dummies = program.procedures[call->procedure].dummies;
        effects[p].unknown = effects[p].unknown || callee.unknown;
        effects[p].changes.merge(changed_by(program, callee, *call));
        for (const Index symbol : callee.uses)
          if (std::ranges::find(dummies, symbol) == dummies.end()) effects[p].uses.insert(symbol);
        grew = grew || effects[p] != before;
      }
  }
  return effects;
}

}  // namespace cppc::fortran
