#include "fills.hpp"

#include <algorithm>

#include "algebra.hpp"
#include "regions.hpp"

namespace cppc::fortran {

namespace {

using Kind = Expr::Kind;

bool is_constant(const ExprPtr& e) { return e != nullptr && e->kind == Kind::constant; }

bool has_known_shape(const Symbol& symbol) {
  return symbol.array && symbol.unclear.empty() && !symbol.bounds.empty() &&
         std::ranges::all_of(symbol.bounds,
                             [](const Bounds& one) { return is_constant(one.lower) && is_constant(one.upper); });
}

std::int64_t extent(const Bounds& bounds) { return bounds.upper->value - bounds.lower->value + 1; }

std::size_t count(const Expr& e, Index symbol) {
  std::size_t found = e.kind == Kind::name && e.symbol == symbol ? 1 : 0;
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) found += count(*part, symbol);
  return found;
}

std::size_t count(const Statement& s, Index symbol) {
  std::size_t found = s.variable == symbol ? 1 : 0;
  for (const ExprPtr& e : {s.target, s.value, s.low, s.high, s.step})
    if (e != nullptr) found += count(*e, symbol);
  for (const ExprPtr& e : s.expressions) found += count(*e, symbol);
  for (const Case& one : s.cases) {
    if (one.condition != nullptr) found += count(*one.condition, symbol);
    for (const Statement& inner : one.body) found += count(inner, symbol);
  }
  for (const Statement& inner : s.body) found += count(inner, symbol);
  return found;
}

bool is_whole(const Program& program, const Region& region) {
  const auto& bounds = program.symbols[region.view].bounds;
  for (std::size_t d = 0; d < bounds.size(); ++d) {
    const Extent& extent = region.extents[d];
    if (value_of(extent.low) != bounds[d].lower->value || value_of(extent.high) != bounds[d].upper->value) return false;
  }
  return region.positive.empty() && std::ranges::all_of(region.ordered, [](const auto& one) {
           return is_constant(one.first) && is_constant(one.second) && one.first->value <= one.second->value;
         });
}

class Finder {
 public:
  Finder(const Program& program, Effects& effects)
      : program_(program), effects_(effects), asked_(program.procedures.size()) {}

  void ask(Index p) {
    if (asked_[p] || effects_[p].unknown) return;
    asked_[p] = true;  // a procedure that calls itself fills nothing by that
    ask_callees(program_.procedures[p].body);
    for (const Index dummy : program_.procedures[p].dummies)
      if (dummy != none && has_known_shape(program_.symbols[dummy]) && !is_read_at_entry(p, dummy) &&
          fills(program_.procedures[p].body, dummy))
        effects_[p].fills.insert(dummy);
  }

 private:
  [[nodiscard]] bool is_read_at_entry(Index p, Index dummy) const {
    return std::ranges::any_of(program_.procedures[p].sizes,
                               [&](const ExprPtr& size) { return count(*size, dummy) > 0; });
  }
  void ask_callees(const Statements& list) {
    for (const Statement& s : list) {
      if (s.kind == Statement::Kind::call && s.expressions.front()->procedure != none)
        ask(s.expressions.front()->procedure);
      for (const Case& one : s.cases) ask_callees(one.body);
      ask_callees(s.body);
    }
  }
  /// What mentions it first writes all of it.
  bool fills(const Statements& list, Index dummy) const {
    for (const Statement& s : list) {
      if (jumps(s) || is_known_inside(s, dummy)) return false;
      if (count(s, dummy) > 0) return is_fill(s, dummy);
    }
    return false;
  }
  /// Whether it calls procedures that know the dummy themselves, as internal ones do.
  bool is_known_inside(const Statement& s, Index dummy) const {
    bool known = false;
    visit_expressions(s, [&](const Expr& e) { known = known || calls_who_knows(e, dummy); });
    return known;
  }
  bool calls_who_knows(const Expr& e, Index dummy) const {
    if (e.kind == Kind::call && e.procedure != none) {
      const Effect* effect = effect_of(effects_, e);
      if (effect == nullptr || effect->uses.contains(dummy) || effect->changes.contains(dummy)) return true;
    }
    return std::ranges::any_of(e.parts,
                               [&](const ExprPtr& part) { return part != nullptr && calls_who_knows(*part, dummy); });
  }
  bool is_fill(const Statement& s, Index dummy) const {
    std::vector<Region> regions;
    if (s.kind == Statement::Kind::loop) regions = regions_of(program_, effects_, s);
    if (s.kind == Statement::Kind::assign && count(*s.value, dummy) == 0)
      if (auto region = region_of(program_, effects_, s)) regions.push_back(std::move(*region));
    if (std::ranges::any_of(regions, [&](const Region& one) { return one.symbol == dummy && is_whole(program_, one); }))
      return true;
    return s.kind == Statement::Kind::call && count(s, dummy) == 1 && is_filled_by(*s.expressions.front(), dummy);
  }
  bool is_filled_by(const Expr& call, Index array) const {
    const Effect* effect = effect_of(effects_, call);
    if (effect == nullptr) return false;
    const auto& dummies = program_.procedures[call.procedure].dummies;
    for (std::size_t i = 0; i < dummies.size() && i < call.parts.size(); ++i) {
      const ExprPtr& argument = call.parts[i];
      if (argument == nullptr || argument->kind != Kind::name || argument->symbol != array) continue;
      const auto &own = program_.symbols[array].bounds, &others = program_.symbols[dummies[i]].bounds;
      return effect->fills.contains(dummies[i]) &&
             program_.symbols[array].element == program_.symbols[dummies[i]].element &&
             std::ranges::equal(own, others, [](const Bounds& a, const Bounds& b) { return extent(a) == extent(b); });
    }
    return false;
  }

  const Program& program_;
  Effects& effects_;
  std::vector<bool> asked_;
};

}  // namespace

void find_fills(const Program& program, Effects& effects) {
  Finder finder(program, effects);
  for (Index p = 0; p < program.procedures.size(); ++p) finder.ask(p);
}

ExprPtr section_of(const Program& program, const Expr& argument, Index dummy) {
  if (dummy == none || argument.kind != Kind::element || argument.parts.front()->kind != Kind::name) return nullptr;
  const Symbol &array = program.symbols[view(*argument.parts.front())], &own = program.symbols[dummy];
  if (array.descriptor != Symbol::Descriptor::none || !own.unclear.empty() || own.element != array.element ||
      argument.parts.size() != array.bounds.size() + 1)
    return nullptr;
  const auto is_range = [](const ExprPtr& part) { return part == nullptr || part->kind == Kind::range; };
  if (std::any_of(argument.parts.begin() + 1, argument.parts.end(), is_range)) return nullptr;
  if (!own.array) return std::make_shared<const Expr>(argument);
  if (!has_known_shape(own) || own.bounds.size() > array.bounds.size()) return nullptr;
  Expr section = argument;
  for (std::size_t d = 0; d < own.bounds.size(); ++d) {
    const Bounds& bounds = array.bounds[d];
    const ExprPtr& at = argument.parts[d + 1];
    if (!is_constant(bounds.lower) || !is_constant(bounds.upper) || !is_constant(at)) return nullptr;
    if (at->value != bounds.lower->value || extent(bounds) != extent(own.bounds[d])) return nullptr;
    section.parts[d + 1] =
        std::make_shared<const Expr>(Expr{.kind = Kind::range, .parts = {bounds.lower, bounds.upper, constant(1)}});
  }
  return std::make_shared<const Expr>(std::move(section));
}

}  // namespace cppc::fortran
