#include "changes.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

void Changes::add(const Statements& list) {
  for (const Statement& s : list) add(s);
}

void Changes::add(const Statement& s) {
  untold = untold || s.team;
  if (s.variable != none) changed.insert(s.variable);
  if (s.target != nullptr) add_roots(*s.target);
  for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step})
    if (e != nullptr) add_calls(*e);
  for (const ExprPtr& e : s.expressions) {
    const bool unknown = s.kind == Statement::Kind::call && effect_of(effects_, *e) == nullptr;
    for (const ExprPtr& part : e->parts)
      if (part != nullptr && unknown) add_roots(*part);
    if (s.changes) add_roots(*e);
    add_calls(*e);
  }
  for (const Case& one : s.cases) {
    if (one.condition != nullptr) add_calls(*one.condition);
    add(one.body);
  }
  add(s.body);
}

void Changes::add_roots(const Expr& e) {
  if (const Index symbol = root(e); symbol != none) {
    changed.insert(symbol);
    if (e.kind == Kind::name)
      for (const Index other : besides(program_, symbol)) changed.insert(other);
    return;
  }
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) add_roots(*part);
}

void Changes::add_calls(const Expr& e) {
  if (e.kind == Kind::call && e.word.empty()) add_call(e);
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) add_calls(*part);
}

void Changes::add_call(const Expr& e) {
  if (const Effect* effect = effect_of(effects_, e)) {
    changed.merge(changed_by(program_, *effect, e));
    return;
  }
  untold = true;
  for (const ExprPtr& part : e.parts)
    if (part != nullptr && root(*part) != none) add_roots(*part);
}

}  // namespace cppc::fortran
