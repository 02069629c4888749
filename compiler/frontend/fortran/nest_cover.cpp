#include <algorithm>
#include <ranges>

#include "nest.hpp"
#include "polynomial.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

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

}  // namespace cppc::fortran
