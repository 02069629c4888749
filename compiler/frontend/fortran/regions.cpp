#include "regions.hpp"

#include <algorithm>
#include <ranges>

#include "changes.hpp"
#include "counters.hpp"
#include "fills.hpp"
#include "polynomial.hpp"

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
  struct Head {
    std::size_t position;
    Index variable;
    std::int64_t shift;
  };
  std::optional<Head> head;  ///< what lies before the first pass of one of the loops has been written before
};

/// An access to an array that is no such write.
struct Access {
  const Expr* element;  ///< null: of any part
  std::vector<const Statement*> loops;
  std::size_t position = 0;
};

class Nest {
 public:
  Nest(const Program& program, const Effects& effects, const Statement& loop, const Values& before = {})
      : program_(program), effects_(effects), counters_(find_counters(program, effects, loop, before)) {
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
    if (access.element == nullptr) return false;
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
  /// A call statement: what the callee leaves of sections, it reads before it writes others.
  void see_known_call(const Expr& e, const Effect& effect, bool certain) {
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

  bool write(const Expr& target);
  bool cover(const Expr& subscript, const Bounds& bounds, std::size_t dimension, Write& made,
             std::set<Index>& used) const;
  bool cover_counted(const Expr& subscript, std::size_t dimension, Write& made) const;
  bool cover_rows(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool cover_sections(std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool cover_block(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const;
  bool settle(Write& made, const std::set<Index>& used) const;
  std::vector<Write> together() const;
  std::optional<Write> join(const Write& one, const Write& other) const;
  std::optional<Write> with_head(const Write& head, const Write& rest) const;
  bool same(const Extent& one, const Extent& other) const;

  const Program& program_;
  const Effects& effects_;
  std::map<Index, Counter> counters_;
  std::vector<Level> levels_;
  std::vector<const Statement*> loops_;
  Values values_;  ///< of variables that hold for what is looked at
  std::vector<Write> writes_;
  std::vector<ExprPtr> sections_;  ///< that accesses are of
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
    return extent.low != nullptr && extent.high != nullptr && cover_sections(dimension, made, used);
  }
  if (cover_counted(subscript, dimension, made)) return true;
  for (const Level& level : levels_) {
    if (!mentions(subscript, level.variable)) continue;
    const auto shift = shift_of(subscript, level.variable);
    if (!shift || level.step != nullptr)
      return cover_block(subscript, dimension, made, used) || cover_rows(subscript, dimension, made, used);
    if (!used.insert(level.variable).second) return false;
    extent = {operate("+", level.low, constant(*shift)), operate("+", level.high, constant(*shift)), level.variable,
              *shift};
    made.at[level.variable] = dimension;
    return true;
  }
  extent = {std::make_shared<const Expr>(subscript), std::make_shared<const Expr>(subscript)};
  return true;
}

/// A variable that is counted up in each pass of all loops.
bool Nest::cover_counted(const Expr& subscript, std::size_t dimension, Write& made) const {
  const auto counter = std::ranges::find_if(counters_, [&](const auto& one) { return mentions(subscript, one.first); });
  if (counter == counters_.end()) return false;
  const auto shift = shift_of(subscript, counter->first);
  const auto& [loops, start, counted] = counter->second;
  if (!shift || loops != loops_) return false;
  ExprPtr passes = constant(1);
  for (const Level& level : levels_) {
    if (level.step != nullptr) return false;
    passes = operate("*", passes, operate("+", operate("-", level.high, level.low), constant(1)));
    made.at[level.variable] = dimension;  // whose passes cannot be told apart: no variable of the extent's
  }
  Extent& extent = made.region.extents[dimension];
  extent.low = operate("+", start, constant(*shift + (counted ? 1 : 0)));
  extent.high = operate("-", operate("+", extent.low, passes), constant(1));
  return true;
}

/// A subscript that grows by one in each pass of the innermost loop, and goes on from there in those around.
bool Nest::cover_rows(const Expr& subscript, std::size_t dimension, Write& made, std::set<Index>& used) const {
  const auto inner = std::ranges::find_if(levels_.rbegin(), levels_.rend(),
                                          [&](const Level& level) { return mentions(subscript, level.variable); });
  if (inner == levels_.rend() || inner->step != nullptr || used.contains(inner->variable)) return false;
  const ExprPtr at = std::make_shared<const Expr>(subscript);
  const ExprPtr variable = std::make_shared<const Expr>(Expr{.kind = Kind::name, .symbol = inner->variable});
  const ExprPtr next = replaced(at, {{inner->variable, operate("+", variable, constant(1))}});
  if (!always_equal(program_, *next, *operate("+", at, constant(1)))) return false;
  used.insert(inner->variable);
  made.at[inner->variable] = dimension;
  Extent& extent = made.region.extents[dimension];
  extent.low = replaced(at, {{inner->variable, inner->low}});
  extent.high = replaced(at, {{inner->variable, inner->high}});
  return cover_sections(dimension, made, used);
}

/// A section in each pass of a loop, each right behind the one before.
bool Nest::cover_sections(std::size_t dimension, Write& made, std::set<Index>& used) const {
  Extent& extent = made.region.extents[dimension];
  for (const Level& level : levels_ | std::views::reverse) {
    if (level.variable == none || (!mentions(*extent.low, level.variable) && !mentions(*extent.high, level.variable)))
      continue;
    const ExprPtr variable = std::make_shared<const Expr>(Expr{.kind = Kind::name, .symbol = level.variable});
    const ExprPtr next = replaced(extent.low, {{level.variable, operate("+", variable, constant(1))}});
    if (level.step != nullptr || !always_equal(program_, *next, *operate("+", extent.high, constant(1)))) return false;
    if (!used.insert(level.variable).second) return false;
    extent.low = replaced(extent.low, {{level.variable, level.low}});
    extent.high = replaced(extent.high, {{level.variable, level.high}});
    made.region.ordered.emplace_back(level.low, level.high);
    made.at[level.variable] = dimension;  // whose passes cannot be told apart: no variable of the extent's
  }
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
  for (const Bounds& bounds : program_.symbols[region.view].bounds)
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
  if (one.region.symbol != other.region.symbol || one.region.view != other.region.view || one.loops != other.loops ||
      one.at != other.at)
    return {};
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

/// A write before a loop, of what lies right before the first pass of a write in the loop.
std::optional<Write> Nest::with_head(const Write& head, const Write& rest) const {
  if (head.region.symbol != rest.region.symbol || head.region.view != rest.region.view || head.head || rest.head)
    return {};
  if (head.loops.size() + 1 != rest.loops.size() || head.position > rest.position ||
      !std::equal(head.loops.begin(), head.loops.end(), rest.loops.begin()))
    return {};
  if (rest.loops.back()->step != nullptr && !is(rest.loops.back()->step, 1)) return {};  // from the other end
  const Index variable = rest.loops.back()->variable;
  const auto at = rest.at.find(variable);
  if (at == rest.at.end()) return {};
  for (std::size_t d = 0; d < rest.region.extents.size(); ++d)
    if (d != at->second && !same(head.region.extents[d], rest.region.extents[d])) return {};
  const Extent &first = head.region.extents[at->second], &others = rest.region.extents[at->second];
  if (others.variable != variable || first.variable != none || !always_equal(program_, *first.low, *first.high) ||
      !always_equal(program_, *operate("+", first.high, constant(1)), *others.low))
    return {};
  Write made = rest;
  made.head = Write::Head{head.position, variable, others.shift};
  made.region.extents[at->second] = {first.low, others.high};
  made.region.depends.insert(head.region.depends.begin(), head.region.depends.end());
  made.region.ordered.insert(made.region.ordered.end(), head.region.ordered.begin(), head.region.ordered.end());
  made.region.positive.insert(made.region.positive.end(), head.region.positive.begin(), head.region.positive.end());
  return made;
}

std::vector<Write> Nest::together() const {
  std::vector<Write> made;
  for (const Write& head : writes_)
    for (const Write& rest : writes_)
      if (auto both = with_head(head, rest)) made.push_back(std::move(*both));
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

bool Nest::write(const Expr& target) {
  const Index symbol = root(target);
  if (symbol == none) return false;
  const bool element = target.kind == Kind::element && target.parts.front()->kind == Kind::name;
  if (!element && target.kind != Kind::name) return false;
  if (!program_.symbols[symbol].array || !program_.symbols[symbol].unclear.empty()) return false;
  const Index seen_as = view(element ? *target.parts.front() : target);
  const Symbol& array = program_.symbols[seen_as];
  if (array.element == 0 || array.bounds.empty()) return false;
  Write made{.region = {.symbol = symbol, .view = seen_as}, .loops = loops_, .at = {}};
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
  if (e.kind == Kind::bound) {
    variables.insert(program.symbols[e.symbol].shape);
    return program.symbols[e.symbol].shape != none;
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

std::vector<Region> regions_of(const Program& program, const Effects& effects, const Statement& loop,
                               const Values& before) {
  if (jumps(loop.body)) return {};
  return Nest(program, effects, loop, before).found();
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
