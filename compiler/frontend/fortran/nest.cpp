#include "nest.hpp"

#include <algorithm>

#include "changes.hpp"
#include "fills.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

std::vector<Region> Nest::found() {
  std::vector<Region> clean;
  std::set<Index> seen;
  if (untold_calls_) return clean;
  std::vector<Write> writes = together();
  writes.insert(writes.end(), writes_.begin(), writes_.end());
  for (const Write& write : writes) {
    const Index symbol = write.region.symbol;
    if (seen.contains(symbol)) continue;
    const auto harmless = [&](const Access& access) { return is_after(access, write); };
    if (!std::ranges::all_of(accesses_[symbol], harmless)) continue;
    seen.insert(symbol);
    clean.push_back(write.region);
    clean.back().alone = accesses_[symbol].empty();
  }
  return clean;
}

bool Nest::is_after(const Access& access, const Write& write) const {
  if (access.element == nullptr) return false;
  if (is_apart(*access.element, write.region)) return true;
  std::size_t common = 0;
  while (common < access.loops.size() && common < write.loops.size() && access.loops[common] == write.loops[common])
    ++common;
  bool one_behind = false;
  for (std::size_t i = 0; i < common; ++i) {
    const Index variable = write.loops[i]->variable;
    const auto at = write.at.find(variable);
    if (at == write.at.end()) continue;  // each pass writes the same
    const ExprPtr& own = access.element->parts[at->second + 1];
    const Extent& written = write.region.extents[at->second];
    const bool headed = write.head && write.head->variable == variable;
    const auto shift = own != nullptr ? shift_of(*own, variable) : std::nullopt;
    if (!shift || (!headed && (*shift != written.shift || written.variable != variable))) return false;
    if (headed && *shift != write.head->shift && *shift != write.head->shift - 1) return false;
    one_behind = one_behind || (headed && *shift != write.head->shift);
  }
  return access.position > (one_behind ? write.head->position : write.position);
}

void Nest::touch(Index symbol, const Expr* element) {
  accesses_[symbol].push_back({element, loops_, ++position_});
  for (const Index pointer : program_.symbols[symbol].pointers)
    accesses_[pointer].push_back({nullptr, loops_, position_});
}

void Nest::see(const Expr& e) {
  if (e.kind == Kind::call) {
    if (e.word.empty()) see_call(e);
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) see_argument(*part, e.word.empty());
    return;
  }
  if (const Index symbol = root(e); symbol != none) {
    const bool plain = e.kind == Kind::element && e.parts.front()->kind == Kind::name;
    touch(symbol, plain ? &e : nullptr);
    touch_parts(e);
    return see_subscripts(e);
  }
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) see(*part);
}

void Nest::see_call(const Expr& e) {
  const Effect* effect = effect_of(effects_, e);
  if (effect == nullptr) {
    untold_calls_ = true;
    return;
  }
  const auto& dummies = program_.procedures[e.procedure].dummies;
  for (const Index symbol : effect->uses)
    if (std::ranges::find(dummies, symbol) == dummies.end()) touch(symbol, nullptr);
}

void Nest::see_known_call(const Expr& e, const Effect& effect, bool certain) {
  see_call(e);
  const auto& dummies = program_.procedures[e.procedure].dummies;
  std::vector<ExprPtr> filled;
  for (std::size_t i = 0; i < e.parts.size(); ++i) {
    if (e.parts[i] == nullptr) continue;
    const Index dummy = i < dummies.size() ? dummies[i] : none;
    const ExprPtr section = section_of(program_, *e.parts[i], dummy);
    if (section == nullptr) {
      see_argument(*e.parts[i], true);
      continue;
    }
    see_subscripts(*section);
    if (certain && effect.fills.contains(dummy)) {
      filled.push_back(section);
      continue;
    }
    sections_.push_back(section);
    touch(root(*section), section.get());
  }
  for (const ExprPtr& section : filled)
    if (!write(*section)) touch(root(*section), nullptr);
}

void Nest::see_argument(const Expr& e, bool by_reference) {
  const Index symbol = root(e);
  if (symbol == none || !by_reference) return see(e);
  touch(symbol, nullptr);
  touch_parts(e);
  see_subscripts(e);
}

void Nest::touch_parts(const Expr& e) {
  if (e.kind != Kind::name) return;
  for (const Index part : program_.symbols[e.symbol].parts) touch(part, nullptr);
}

void Nest::see_subscripts(const Expr& e) {
  if (e.kind == Kind::other) return see(e);
  if (e.kind != Kind::element && e.kind != Kind::member) return;
  if (e.parts.front() != nullptr) see_subscripts(*e.parts.front());
  for (std::size_t i = 1; i < e.parts.size(); ++i)
    if (e.parts[i] != nullptr) see(*e.parts[i]);
}

void Nest::forget_changed(const Statements& list) {
  Changes changes(program_, effects_);
  changes.add(list);
  forget(changes.changed, changes.untold);
}

void Nest::forget_changed(const Statement& s) {
  Changes changes(program_, effects_);
  changes.add(s);
  forget(changes.changed, changes.untold);
}

void Nest::forget(const std::set<Index>& changed, bool calls) {
  std::erase_if(values_, [&](const auto& value) {
    std::set<Index> variables{value.first};
    find_variables(program_, *value.second, variables);
    return std::ranges::any_of(variables, [&](Index one) { return calls || changed.contains(one); });
  });
}

void Nest::statements(const Statements& list, bool certain) {
  for (const Statement& s : list) statement(s, certain);
}

void Nest::statement(const Statement& s, bool certain) {
  using StatementKind = Statement::Kind;
  untold_calls_ = untold_calls_ || s.team;
  for (const ExprPtr& e : {s.value, s.low, s.high, s.step})
    if (e != nullptr) see(*e);
  const Effect* effect = s.kind == StatementKind::call ? effect_of(effects_, *s.expressions.front()) : nullptr;
  if (effect != nullptr) see_known_call(*s.expressions.front(), *effect, certain);
  for (const ExprPtr& e : s.expressions)
    if (effect == nullptr) see(*e);
  switch (s.kind) {
    case StatementKind::assign:
      see_subscripts(*s.target);
      if (certain && write(*s.target)) return;
      forget_changed(s);
      if (const auto counter = counters_.find(root(*s.target)); counter != counters_.end())
        counter->second.counted = true;
      if (certain) note_value(s);
      return;
    case StatementKind::branch:
      for (const Case& one : s.cases) {
        if (one.condition != nullptr) see(*one.condition);
        const Values before = values_;
        statements(one.body, false);
        values_ = before;
        forget_changed(one.body);
      }
      for (const Case& one : s.cases) forget_changed(one.body);
      return;
    case StatementKind::loop:
      return loop(s, certain);
    default:
      forget_changed(s);
  }
}

void Nest::note_value(const Statement& s) {
  if (s.target->kind != Kind::name || program_.symbols[s.target->symbol].array) return;
  std::set<Index> variables;
  const ExprPtr value = replaced(s.value, values_);
  if (!program_.symbols[s.target->symbol].integer || !find_variables(program_, *value, variables)) return;
  if (!variables.contains(s.target->symbol) && !program_.symbols[s.target->symbol].aliased)
    values_[s.target->symbol] = value;
}

void Nest::loop(const Statement& s, bool certain) {
  const bool counted =
      s.variable != none && program_.symbols[s.variable].integer && program_.symbols[s.variable].unclear.empty();
  Changes in_body(program_, effects_);
  in_body.add(s.body);
  const bool steady = counted && !in_body.untold && !in_body.changed.contains(s.variable);
  const Values before = values_;
  Level level{s.variable, replaced(s.low, values_), replaced(s.high, values_), replaced(s.step, values_), &s};
  if (is(level.step, -1)) std::swap(level.low, level.high);
  if (is(level.step, -1) || is(level.step, 1)) level.step = nullptr;
  forget_changed(s.body);
  if (counted) values_.erase(s.variable);
  levels_.push_back(level);
  loops_.push_back(&s);
  statements(s.body, certain && steady);
  loops_.pop_back();
  levels_.pop_back();
  values_ = before;
  forget_changed(s.body);
  forget({s.variable}, false);
}

}  // namespace cppc::fortran
