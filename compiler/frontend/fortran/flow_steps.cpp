// What holds before a step, by what holds after it.

#include <algorithm>

#include "flow_graph.hpp"

namespace cppc::fortran {

using Kind = Expr::Kind;

namespace {

/// Links of a way.
constexpr std::size_t kMostLinks = 16;
/// What it costs to find an overwrite again.
constexpr std::size_t kStepsOfANumber = 20;

}  // namespace

bool intersect(const std::set<Index>& one, const std::set<Index>& other) {
  return std::ranges::any_of(one, [&](Index index) { return other.contains(index); });
}

void follow(const std::vector<std::vector<Index>>& next, std::set<Index>& symbols) {
  std::vector<Index> due(symbols.begin(), symbols.end());
  while (!due.empty()) {
    const Index symbol = due.back();
    due.pop_back();
    for (const Index other : next[symbol])
      if (symbols.insert(other).second) due.push_back(other);
  }
}

Fate Flow::fate_of(const Fates& fates, Index symbol) const {
  const std::uint32_t place = followed_.places[symbol];
  return place != Followed::nowhere ? fates[place] : Fate::dead;
}

void Flow::set_fate(Fates& fates, Index symbol, Fate fate) const {
  if (const std::uint32_t place = followed_.places[symbol]; place != Followed::nowhere) fates[place] = fate;
}

/// What holds before a branch. Where what becomes of an array differs, which way is taken is known at run time.
void Flow::decide(const ExprPtr& condition, Fates& then, const Fates& otherwise) {
  for (std::size_t i = 0; i < then.size(); ++i) {
    const Fate one = then[i], other = otherwise[i];
    if (one == other) continue;
    if (other == Fate::live) {
      then[i] = guarded(one, condition, true);
    } else if (one == Fate::live) {
      then[i] = guarded(other, condition, false);
    } else if (one == Fate::dead || other == Fate::dead) {
      then[i] = table_.meet(one, other);
    } else {
      const Fate both = table_.meet(closed(one, condition, false), closed(other, condition, true));
      const bool too_many = both == Fate::live || table_.ways(both).size() > FateTable::most_ways / 2;
      then[i] = too_many ? table_.meet(one, other) : both;
    }
  }
}

/// Number of a condition, if it can be said.
std::optional<std::size_t> Flow::guard(const ExprPtr& condition, bool holds) {
  const auto [found, fresh] = guards_.try_emplace({condition.get(), holds});
  if (!fresh) return found->second;
  Overwritten made{.condition = condition, .holds = holds, .links = {}, .depends = {}};
  if (find_variables(program_, *condition, made.depends)) found->second = number_of(std::move(made));
  return found->second;
}

/// With the condition without which its ways are taken.
Fate Flow::closed(Fate fate, const ExprPtr& condition, bool holds) {
  const auto number = guard(condition, holds);
  return number ? table_.preceded_by({*number}, fate) : fate;
}

Fate Flow::guarded(Fate fate, const ExprPtr& condition, bool holds) {
  const auto number = guard(condition, holds);
  return number ? table_.meet(fate, table_.of({{*number}})) : Fate::live;
}

/// Whether where an overwrite is changes with one of these.
bool Flow::depends_on(std::size_t number, const std::set<Index>& changed, const Reached& reached) const {
  return std::ranges::any_of(overwritten_[number].depends,
                             [&](Index symbol) { return changed.contains(symbol) || is_reached(symbol, reached); });
}

/// What is left of it before variables change that say where overwrites are.
Fate Flow::without(Fate fate, const std::set<Index>& changed, const Reached& reached) {
  return table_.filtered(fate, [&](std::size_t number) { return !depends_on(number, changed, reached); });
}

void Flow::change(Index symbol, Fates& fates) {
  std::set<Index> changed{symbol};
  add_shapes(changed);
  if (!intersect(changed, depended_on_)) return;
  Remembered before([&](Fate fate) { return without(fate, changed, {}); });
  for (Fate& fate : fates) fate = before(fate);
}

void Flow::assign(Index symbol, const ExprPtr& value, Fates& fates) {
  if (!depended_on_.contains(symbol)) return;
  Remembered before([&](Fate fate) {
    return table_.changed(fate, [&](const Overwrites& way) {
      Overwrites made;
      for (const std::size_t number : way)
        if (number == afterwards || !overwritten_[number].depends.contains(symbol))
          made.insert(number);
        else if (const auto same = through(number, {.variable = symbol, .value = value}))
          made.insert(*same);
      return made;
    });
  });
  for (Fate& fate : fates) fate = before(fate);
}

/// Of pointers that a changed argument may be another name of, with what says where they lead.
void Flow::add_shapes(std::set<Index>& changed) const {
  const std::set<Index> all = changed;
  for (const Index symbol : all) {
    const Symbol& s = program_.symbols[symbol];
    if (s.storage != Storage::dummy || s.unclear.empty()) continue;
    for (const Index pointer : s.pointers) changed.insert(program_.symbols[pointer].shape);
  }
}

/// Before an overwrite. What is not in it becomes what it does behind it, if nothing of that is read meanwhile.
void Flow::overwrite(const Region& region, Fates& fates) {
  if (!tracked(region.symbol)) return;
  Overwrites one{number_of(
      {.region = &region, .condition = nullptr, .symbol = region.symbol, .links = {}, .depends = region.depends})};
  if (region.alone) one.insert(afterwards);
  set_fate(fates, region.symbol, table_.followed_by(table_.of({std::move(one)}), fate_of(fates, region.symbol)));
}

std::size_t Flow::number_of(Overwritten one) {
  take_steps(kStepsOfANumber);
  const auto [found, fresh] =
      numbers_.try_emplace({one.region, one.condition.get(), one.holds, one.symbol, one.links}, overwritten_.size());
  if (fresh) {
    depended_on_.insert(one.depends.begin(), one.depends.end());
    overwritten_.push_back(std::move(one));
  }
  return found->second;
}

namespace {

/// As which names are seen, where bounds may differ.
std::string views(const Expr& e) {
  std::string made = e.kind == Kind::name ? " " + std::to_string(view(e)) : "";
  for (const ExprPtr& part : e.parts)
    if (part != nullptr) made += views(*part);
  return made;
}

}  // namespace

/// The first call that has been met of those that give the same procedure the same arguments.
const Expr* Flow::first_like(const Expr& call) {
  std::vector<std::string> words;
  for (const ExprPtr& argument : call.parts) {
    words.push_back(argument != nullptr ? text(program_, *argument) : "none");
    if (words.back().empty()) return &call;
    if (argument != nullptr) words.back() += views(*argument);
  }
  return calls_.try_emplace({call.procedure, std::move(words)}, &call).first->second;
}

/// As it is said before a call or an assignment; nothing when that cannot be said.
std::optional<std::size_t> Flow::through(std::size_t number, const Link& link) {
  Overwritten made = overwritten_[number];
  if (made.links.size() >= kMostLinks) return {};
  std::set<Index> depends;
  if (link.call == nullptr) {
    depends = made.depends;
    depends.erase(link.variable);
    if (!find_variables(program_, *link.value, depends)) return {};
  } else {
    const auto& dummies = program_.procedures[link.callee].dummies;
    const auto argument_of = [&](Index symbol) -> std::optional<ExprPtr> {
      const auto dummy = std::ranges::find(dummies, symbol);
      if (dummy == dummies.end()) return std::nullopt;
      const auto i = static_cast<std::size_t>(dummy - dummies.begin());
      return i < link.call->parts.size() ? link.call->parts[i] : nullptr;
    };
    const auto depend_on = [&](const ExprPtr& argument) {
      if (argument == nullptr) return false;
      if (argument->kind != Kind::name) return find_variables(program_, *argument, depends);
      depends.insert(argument->symbol);
      return !program_.symbols[argument->symbol].aliased;
    };
    const auto depend_on_shape = [&](const ExprPtr& argument) {  // which an array of assumed shape takes over
      if (argument == nullptr || argument->kind != Kind::name) return false;
      const auto& bounds = program_.symbols[view(*argument)].bounds;
      return !bounds.empty() && std::ranges::all_of(bounds, [&](const Bounds& one) {
        return one.lower != nullptr && one.upper != nullptr && find_variables(program_, *one.lower, depends) &&
               find_variables(program_, *one.upper, depends);
      });
    };
    for (const Index symbol : made.depends) {
      if (const Index array = program_.symbols[symbol].shape_of; array != none && argument_of(array)) {
        if (!depend_on_shape(*argument_of(array))) return {};
        continue;
      }
      const auto argument = argument_of(symbol);
      if (argument && !depend_on(*argument)) return {};
      if (argument) continue;
      if (own(symbol, link.callee)) return {};
      depends.insert(symbol);
    }
    if (const auto array = made.region != nullptr ? argument_of(made.symbol) : std::nullopt) {
      if (*array == nullptr) return {};
      made.symbol = root(**array);
      if ((*array)->kind == Kind::element && !find_variables(program_, **array, depends)) return {};
      if (made.symbol == none || ((*array)->kind != Kind::element && (*array)->kind != Kind::name)) return {};
      depends.erase(made.symbol);
    }
  }
  made.depends = std::move(depends);
  made.links.insert(made.links.begin(), link);
  if (link.call != nullptr) made.links.front().call = first_like(*link.call);
  made.behind = number;
  return number_of(std::move(made));
}

/// What is overwritten elsewhere in the array is dead as before.
Fate Flow::read_part(const Step& step, Fate fate) {
  if (fate == Fate::dead || step.element == nullptr) return Fate::live;
  return table_.changed(fate, [&](Overwrites way) {
    std::erase_if(way, [&](std::size_t number) {
      const Region* region = number != afterwards ? overwritten_[number].region : nullptr;
      return region == nullptr || region->symbol != step.symbol || !is_apart(*step.element, *region);
    });
    return way;
  });
}

void Flow::step_back(Index p, const Step& step, Fates& fates) {
  switch (step.kind) {
    case Step::Kind::read:
      if (tracked(step.symbol)) set_fate(fates, step.symbol, read_part(step, fate_of(fates, step.symbol)));
      for (const Index pointer : program_.symbols[step.symbol].pointers) set_fate(fates, pointer, Fate::live);
      return;
    case Step::Kind::change:
      return change(step.symbol, fates);
    case Step::Kind::assign:
      return assign(step.symbol, step.value, fates);
    case Step::Kind::overwrite:
      return overwrite(*step.region, fates);
    case Step::Kind::call:
      return call_back(p, step, fates);
    case Step::Kind::outside:
      if (std::ranges::any_of(graphs_[p]->sizes, [this](Index symbol) { return is_reached(symbol, reached_); }))
        return make_live(fates);
      return call_outside(p, step, fates);
    case Step::Kind::everything:
      return make_live(fates);
    case Step::Kind::stop:
      return end(fates);
    case Step::Kind::marker:
      return;
  }
}

}  // namespace cppc::fortran
