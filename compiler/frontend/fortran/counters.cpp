#include "counters.hpp"

#include <algorithm>

#include "changes.hpp"

namespace cppc::fortran {

namespace {

using Kind = Expr::Kind;

bool counts_up(const Statement& s, Index variable) {
  if (s.kind != Statement::Kind::assign || s.target->kind != Kind::name || s.target->symbol != variable) return false;
  const Expr& value = *s.value;
  if (value.kind != Kind::operate || value.word != "+") return false;
  const auto is_variable = [&](const Expr& e) { return e.kind == Kind::name && e.symbol == variable; };
  const auto is_one = [](const Expr& e) { return e.kind == Kind::constant && e.value == 1; };
  const Expr &left = *value.parts[0], &right = *value.parts[1];
  return (is_variable(left) && is_one(right)) || (is_one(left) && is_variable(right));
}

/// Looks for the statement that counts one variable, and for others that change it.
class Search {
 public:
  Search(const Program& program, const Effects& effects, Index variable)
      : program_(program), effects_(effects), variable_(variable) {}

  std::optional<std::vector<const Statement*>> run(const Statement& nest) {
    see(nest, true);
    return changes_ == 1 ? found_ : std::nullopt;
  }

 private:
  void see(const Statement& s, bool certain) {
    if (counts_up(s, variable_)) {
      ++changes_;
      if (certain) found_ = loops_;
      return;
    }
    if (s.kind == Statement::Kind::loop && s.variable != none && s.variable != variable_) {
      loops_.push_back(&s);
      for (const Statement& one : s.body) see(one, certain);
      loops_.pop_back();
      for (const ExprPtr& e : {s.low, s.high, s.step}) see_calls(e);
      return;
    }
    if (s.kind == Statement::Kind::branch && !s.team) {
      for (const Case& one : s.cases) {
        see_calls(one.condition);
        for (const Statement& inner : one.body) see(inner, false);
      }
      return;
    }
    Changes changes(program_, effects_);
    changes.add(s);
    if (changes.untold || changes.changed.contains(variable_)) changes_ += 2;
  }
  void see_calls(const ExprPtr& e) {
    if (e == nullptr) return;
    Changes changes(program_, effects_);
    Statement looked_at;
    looked_at.kind = Statement::Kind::touch;
    looked_at.expressions.push_back(e);
    changes.add(looked_at);
    if (changes.untold || changes.changed.contains(variable_)) changes_ += 2;
  }

  const Program& program_;
  const Effects& effects_;
  const Index variable_;
  std::vector<const Statement*> loops_;
  std::optional<std::vector<const Statement*>> found_;
  int changes_ = 0;
};

}  // namespace

std::map<Index, Counter> find_counters(const Program& program, const Effects& effects, const Statement& nest,
                                       const Values& before) {
  std::map<Index, Counter> counters;
  for (const auto& [variable, value] : before)
    if (const auto loops = Search(program, effects, variable).run(nest)) counters[variable] = {*loops, value};
  return counters;
}

}  // namespace cppc::fortran
