#include "regions.hpp"

#include <algorithm>

namespace cppc::fortran {

namespace {

using Kind = Expr::Kind;

ExprPtr constant(std::int64_t value) {
  return std::make_shared<const Expr>(Expr{.kind = Kind::constant, .value = value});
}

ExprPtr operate(const char* word, ExprPtr left, ExprPtr right) {
  return std::make_shared<const Expr>(
      Expr{.kind = Kind::operate, .word = word, .parts = {std::move(left), std::move(right)}});
}

bool is(const ExprPtr& e, std::int64_t value) { return e != nullptr && e->kind == Kind::constant && e->value == value; }

bool mentions(const Expr& e, Index symbol) {
  if (e.kind == Kind::name) return e.symbol == symbol;
  return std::ranges::any_of(e.parts, [&](const ExprPtr& part) { return part != nullptr && mentions(*part, symbol); });
}

using Values = std::map<Index, ExprPtr>;

ExprPtr replaced(const ExprPtr& e, const Values& values) {
  if (e == nullptr) return e;
  if (e->kind == Kind::name) {
    const auto found = values.find(e->symbol);
    return found != values.end() ? found->second : e;
  }
  if (e->parts.empty()) return e;
  Expr made = *e;
  for (ExprPtr& part : made.parts) part = replaced(part, values);
  return std::make_shared<const Expr>(std::move(made));
}

void find_roots(const Expr& e, std::set<Index>& roots) {
  if (const Index symbol = root(e); symbol != none) {
    roots.insert(symbol);
    return;
  }
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) find_roots(*part, roots);
}

/// Variables that statements may change, as far as that is known.
class Changes {
 public:
  Changes(const Program& program, const Effects& effects) : program_(program), effects_(effects) {}

  std::set<Index> changed;
  bool untold = false;  ///< and others, by calls

  void add(const Statements& list) {
    for (const Statement& s : list) add(s);
  }
  void add(const Statement& s) {
    if (s.variable != none) changed.insert(s.variable);
    if (s.target != nullptr) find_roots(*s.target, changed);
    for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step})
      if (e != nullptr) add_calls(*e);
    for (const ExprPtr& e : s.expressions) {
      const bool unknown = s.kind == Statement::Kind::call && effect_of(effects_, *e) == nullptr;
      for (const ExprPtr& part : e->parts)
        if (part != nullptr && unknown) find_roots(*part, changed);
      if (s.changes) find_roots(*e, changed);
      add_calls(*e);
    }
    for (const Case& one : s.cases) {
      if (one.condition != nullptr) add_calls(*one.condition);
      add(one.body);
    }
    add(s.body);
  }

 private:
  void add_calls(const Expr& e) {
    if (e.kind == Kind::call && e.word.empty()) add_call(e);
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) add_calls(*part);
  }
  void add_call(const Expr& e) {
    if (const Effect* effect = effect_of(effects_, e)) {
      changed.merge(changed_by(program_, *effect, e));
      return;
    }
    untold = true;
    for (const ExprPtr& part : e.parts)
      if (part != nullptr && root(*part) != none) changed.insert(root(*part));
  }

  const Program& program_;
  const Effects& effects_;
};

/// `variable` plus a constant.
std::optional<std::int64_t> shift_of(const Expr& e, Index variable) {
  if (e.kind == Kind::name && e.symbol == variable) return 0;
  if (e.kind != Kind::operate || (e.word != "+" && e.word != "-")) return {};
  const auto& [left, right] = std::tie(e.parts[0], e.parts[1]);
  if (right->kind == Kind::constant)
    if (const auto inner = shift_of(*left, variable)) return *inner + (e.word == "+" ? right->value : -right->value);
  if (e.word == "+" && left->kind == Kind::constant)
    if (const auto inner = shift_of(*right, variable)) return *inner + left->value;
  return {};
}

/// A counted loop around what is looked at, its bounds in terms of what does not change in the nest.
struct Level {
  Index variable;
  ExprPtr low, high;  ///< low <= high
  ExprPtr step;       ///< null: 1
  const Statement* loop;
};

/// A write to an element or section, and where it is.
struct Write {
  Region region;
  std::vector<const Statement*> loops;  ///< around it, in the nest
  std::map<Index, std::size_t> at;      ///< by variable of these loops: the dimension of which it is the subscript
  std::size_t position = 0;             ///< in the order of accesses
};

/// An access to an array that is no such write.
struct Access {
  const Expr* element;  ///< null: of any part
  std::vector<const Statement*> loops;
  std::size_t position = 0;
};

class Nest {
 public:
  Nest(const Program& program, const Effects& effects, const Statement& loop) : program_(program), effects_(effects) {
    statement(loop, true);
  }

  std::vector<Region> found() {
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
    }
    return clean;
  }

 private:
  /// Whether the access touches only what the write has written in the same passes of the loops around both, or what it
  /// never writes.
  bool is_after(const Access& access, const Write& write) const {
    if (access.position < write.position || access.element == nullptr) return false;
    std::size_t common = 0;
    while (common < access.loops.size() && common < write.loops.size() && access.loops[common] == write.loops[common])
      ++common;
    for (std::size_t i = 0; i < common; ++i) {
      const Index variable = write.loops[i]->variable;
      const auto at = write.at.find(variable);
      if (at == write.at.end()) continue;  // each pass writes the same
      const ExprPtr& own = access.element->parts[at->second + 1];
      const Extent& written = write.region.extents[at->second];
      const auto shift = own != nullptr ? shift_of(*own, variable) : std::nullopt;
      if (!shift || *shift != written.shift || written.variable != variable) return false;
    }
    return true;
  }

  void touch(Index symbol, const Expr* element) { accesses_[symbol].push_back({element, loops_, ++position_}); }

  /// Reads in an expression; `whole`: of a designator itself, too.
  void see(const Expr& e) {
    if (e.kind == Kind::call) {
      if (e.word.empty()) see_call(e);
      for (const ExprPtr& part : e.parts)
        if (part != nullptr) see_argument(*part, e.word.empty());
      return;
    }
    if (const Index symbol = root(e); symbol != none) {
      const bool plain = e.kind == Kind::element && e.parts.front()->kind == Kind::name;
      touch(symbol, plain ? &e : nullptr);
      return see_subscripts(e);
    }
    for (const ExprPtr& part : e.parts)
      if (part != nullptr) see(*part);
  }
  void see_call(const Expr& e) {
    const Effect* effect = effect_of(effects_, e);
    if (effect == nullptr) {
      untold_calls_ = true;
      return;
    }
    const auto& dummies = program_.procedures[e.procedure].dummies;
    for (const Index symbol : effect->uses)
      if (std::ranges::find(dummies, symbol) == dummies.end()) touch(symbol, nullptr);
  }
  void see_argument(const Expr& e, bool by_reference) {
    const Index symbol = root(e);
    if (symbol == none || !by_reference) return see(e);
    touch(symbol, nullptr);
    see_subscripts(e);
  }
  void see_subscripts(const Expr& e) {
    if (e.kind != Kind::element && e.kind != Kind::member) return;
    if (e.parts.front() != nullptr) see_subscripts(*e.parts.front());
    for (std::size_t i = 1; i < e.parts.size(); ++i)
      if (e.parts[i] != nullptr) see(*e.parts[i]);
  }

  void forget_changed(const Statements& list) {
    Changes changes(program_, effects_);
    changes.add(list);
    forget(changes.changed, changes.untold);
  }
  void forget_changed(const Statement& s) {
    Changes changes(program_, effects_);
    changes.add(s);
    forget(changes.changed, changes.untold);
  }
  void forget(const std::set<Index>& changed, bool calls) {
    std::erase_if(values_, [&](const auto& value) {
      std::set<Index> variables{value.first};
      find_variables(program_, *value.second, variables);
      return std::ranges::any_of(variables, [&](Index one) { return calls || changed.contains(one); });
    });
  }

  void statements(const Statements& list, bool certain) {
    for (const Statement& s : list) statement(s, certain);
  }

  void statement(const Statement& s, bool certain) {
    using StatementKind = Statement::Kind;
    for (const ExprPtr& e : {s.value, s.low, s.high, s.step})
      if (e != nullptr) see(*e);
    for (const ExprPtr& e : s.expressions) see(*e);
    switch (s.kind) {
      case StatementKind::assign:
        see_subscripts(*s.target);
        if (certain && write(s)) return;
        forget_changed(s);
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

  void note_value(const Statement& s) {
    if (s.target->kind != Kind::name || program_.symbols[s.target->symbol].array) return;
    std::set<Index> variables;
    const ExprPtr value = replaced(s.value, values_);
    if (!program_.symbols[s.target->symbol].integer || !find_variables(program_, *value, variables)) return;
    if (!variables.contains(s.target->symbol)) values_[s.target->symbol] = value;
  }

  void loop(const Statement& s, bool certain) {
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

  bool write(const Statement& s);
  bool cover(const Expr& subscript, const Bounds& bounds, std::size_t dimension, Write& made,
             std::set<Index>& used) const;
  bool cover_block(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool settle(Write& made, const std::set<Index>& used) const;
  std::vector<Write> together() const;
  std::optional<Write> join(const Write& one, const Write& other) const;
  bool same(const Extent& one, const Extent& other) const;

  const Program& program_;
  const Effects& effects_;
  std::vector<Level> levels_;
  std::vector<const Statement*> loops_;
  Values values_;  ///< of variables that hold for what is looked at
  std::vector<Write> writes_;
  std::map<Index, std::vector<Access>> accesses_;
  std::size_t position_ = 0;
  bool untold_calls_ = false;
};

bool Nest::cover(const Expr& subscript, const Bounds& bounds, std::size_t dimension, Write& made,
                 std::set<Index>& used) const {
  Extent& extent = made.region.extents[dimension];
  if (subscript.kind == Kind::range) {
    const auto& parts = subscript.parts;
    if (!is(parts[2], 1)) return false;
    extent.low = parts[0] != nullptr ? parts[0] : bounds.lower;
    extent.high = parts[1] != nullptr ? parts[1] : bounds.upper;
    return extent.low != nullptr && extent.high != nullptr;
  }
  for (const Level& level : levels_) {
    if (!mentions(subscript, level.variable)) continue;
    const auto shift = shift_of(subscript, level.variable);
    if (!shift || level.step != nullptr) return cover_block(subscript, dimension, made, used);
    if (!used.insert(level.variable).second) return false;
    extent = {operate("+", level.low, constant(*shift)), operate("+", level.high, constant(*shift)), level.variable,
              *shift};
    made.at[level.variable] = dimension;
    return true;
  }
  extent = {std::make_shared<const Expr>(subscript), std::make_shared<const Expr>(subscript)};
  return true;
}

/// The sum of a variable that goes in steps, and of one that goes through each step.
bool Nest::cover_block(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const {
  if (subscript.kind != Kind::operate || subscript.word != "+") return false;
  const Level *outer = nullptr, *inner = nullptr;
  for (const Level& level : levels_)
    for (const ExprPtr& part : subscript.parts)
      if (part->kind == Kind::name && part->symbol == level.variable) (level.step != nullptr ? outer : inner) = &level;
  if (outer == nullptr || inner == nullptr) return false;
  // As many values as the step is wide.
  const bool from_one = is(inner->low, 1) && !text(program_, *inner->high).empty() &&
                        text(program_, *inner->high) == text(program_, *outer->step);
  if (!from_one) return false;
  if (!used.insert(outer->variable).second || !used.insert(inner->variable).second) return false;
  const ExprPtr steps = operate("/", operate("-", outer->high, outer->low), outer->step);
  const ExprPtr last = operate("+", outer->low, operate("*", steps, outer->step));
  made.region.extents[dimension] = {operate("+", outer->low, inner->low), operate("+", last, inner->high)};
  made.region.ordered.emplace_back(outer->low, outer->high);
  made.region.positive.push_back(outer->step);
  made.at[outer->variable] = dimension;  // whose passes cannot be told apart: no variable of the extent's
  made.at[inner->variable] = dimension;
  return true;
}

/// Whether all bounds are said by what is outside of the nest, or by variables of slower dimensions.
bool Nest::settle(Write& made, const std::set<Index>& used) const {
  Region& region = made.region;
  std::set<Index> bound;
  for (std::size_t d = region.extents.size(); d-- > 0;) {
    Extent& extent = region.extents[d];
    for (const ExprPtr& e : {extent.low, extent.high}) {
      std::set<Index> variables;
      if (!find_variables(program_, *e, variables)) return false;
      for (const Index variable : variables) {
        const bool of_nest =
            std::ranges::any_of(levels_, [&](const Level& level) { return level.variable == variable; });
        if (of_nest && !bound.contains(variable)) return false;
        if (!of_nest) region.depends.insert(variable);
      }
    }
    if (extent.variable != none) bound.insert(extent.variable);
  }
  for (const Level& level : levels_)  // it has to come to the write at all
    if (!used.contains(level.variable)) {
      region.ordered.emplace_back(level.low, level.high);
      if (level.step != nullptr) region.positive.push_back(level.step);
    }
  std::vector<ExprPtr> conditions = region.positive;
  for (const auto& [low, high] : region.ordered) conditions.insert(conditions.end(), {low, high});
  for (const Bounds& bounds : program_.symbols[region.symbol].bounds)
    for (const ExprPtr& e : {bounds.lower, bounds.upper})
      if (e != nullptr && !find_variables(program_, *e, region.depends)) return false;
  for (const ExprPtr& e : conditions) {
    std::set<Index> variables;
    if (!find_variables(program_, *e, variables)) return false;
    for (const Index variable : variables)
      if (std::ranges::any_of(levels_, [&](const Level& level) { return level.variable == variable; })) return false;
    region.depends.insert(variables.begin(), variables.end());
  }
  return true;
}

bool Nest::same(const Extent& one, const Extent& other) const {
  const std::string low = text(program_, *one.low), high = text(program_, *one.high);
  return !low.empty() && !high.empty() && low == text(program_, *other.low) && high == text(program_, *other.high) &&
         one.variable == other.variable && one.shift == other.shift;
}

/// Two writes in the same passes that differ in one subscript, where they are neighbours: as if they were one.
std::optional<Write> Nest::join(const Write& one, const Write& other) const {
  if (one.region.symbol != other.region.symbol || one.loops != other.loops || one.at != other.at) return {};
  std::optional<std::size_t> differs;
  for (std::size_t d = 0; d < one.region.extents.size(); ++d) {
    if (same(one.region.extents[d], other.region.extents[d])) continue;
    if (differs) return {};
    differs = d;
  }
  if (!differs) return {};
  const Extent &first = one.region.extents[*differs], &second = other.region.extents[*differs];
  for (const ExprPtr& e : {first.low, first.high, second.low, second.high})
    if (e->kind != Kind::constant) return {};
  if (first.variable != none || second.variable != none || first.high->value + 1 != second.low->value) return {};
  Write made = one;
  made.region.extents[*differs].high = second.high;
  made.region.depends.insert(other.region.depends.begin(), other.region.depends.end());
  const auto append = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
  append(made.region.ordered, other.region.ordered);
  append(made.region.positive, other.region.positive);
  made.position = std::max(one.position, other.position);
  return made;
}

std::vector<Write> Nest::together() const {
  std::vector<Write> made;
  for (const Write& start : writes_) {
    std::optional<Write> all = start;
    std::size_t parts = 1;
    for (bool grew = true; grew; parts += grew ? 1 : 0) {
      grew = false;
      for (const Write& next : writes_)
        if (auto joined = join(*all, next); joined && !grew) {
          all = std::move(joined);
          grew = true;
        }
    }
    if (parts > 1) made.push_back(std::move(*all));
  }
  return made;
}

bool Nest::write(const Statement& s) {
  const Expr& target = *s.target;
  const Index symbol = root(target);
  if (symbol == none) return false;
  const Symbol& array = program_.symbols[symbol];
  const bool element = target.kind == Kind::element && target.parts.front()->kind == Kind::name;
  if (!array.array || !array.unclear.empty() || array.element == 0 || array.bounds.empty()) return false;
  if (!element && target.kind != Kind::name) return false;
  Write made{.region = {.symbol = symbol}, .loops = loops_, .at = {}};
  made.region.extents.resize(array.bounds.size());
  std::set<Index> used;
  for (std::size_t d = 0; d < array.bounds.size(); ++d) {
    if (array.bounds[d].lower == nullptr) return false;
    if (!element) {
      if (array.bounds[d].upper == nullptr) return false;
      made.region.extents[d] = {array.bounds[d].lower, array.bounds[d].upper};
      continue;
    }
    const ExprPtr subscript = replaced(target.parts[d + 1], values_);
    if (subscript == nullptr || !cover(*subscript, array.bounds[d], d, made, used)) return false;
  }
  if (!settle(made, used)) return false;
  made.position = ++position_;
  writes_.push_back(std::move(made));
  return true;
}

}  // namespace

bool find_variables(const Program& program, const Expr& e, std::set<Index>& variables) {
  if (e.kind == Kind::name) {
    variables.insert(e.symbol);
    return !program.symbols[e.symbol].array;
  }
  if (e.kind != Kind::constant && e.kind != Kind::operate && e.kind != Kind::element) return false;
  const bool element = e.kind == Kind::element;
  if (element && (e.parts.front() == nullptr || e.parts.front()->kind != Kind::name)) return false;
  if (element) variables.insert(e.parts.front()->symbol);
  return std::all_of(e.parts.begin() + (element ? 1 : 0), e.parts.end(),
                     [&](const ExprPtr& part) { return part != nullptr && find_variables(program, *part, variables); });
}

bool jumps(const Statements& list) {
  using StatementKind = Statement::Kind;
  return std::ranges::any_of(list, [](const Statement& s) {
    switch (s.kind) {
      case StatementKind::leave:
      case StatementKind::cycle:
      case StatementKind::jump:
      case StatementKind::end:
      case StatementKind::label:
        return true;
      default:
        return jumps(s.body) || std::ranges::any_of(s.cases, [](const Case& one) { return jumps(one.body); });
    }
  });
}

std::vector<Region> regions_of(const Program& program, const Effects& effects, const Statement& loop) {
  if (jumps(loop.body)) return {};
  return Nest(program, effects, loop).found();
}

std::optional<Region> region_of(const Program& program, const Effects& effects, const Statement& assignment) {
  const bool array =
      assignment.target->kind == Kind::name || (assignment.target->kind == Kind::element &&
                                                std::ranges::any_of(assignment.target->parts, [](const ExprPtr& part) {
                                                  return part != nullptr && part->kind == Kind::range;
                                                }));
  if (!array) return {};
  std::vector<Region> found = Nest(program, effects, assignment).found();
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

}  // namespace cppc::fortran
